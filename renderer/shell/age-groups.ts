import type { ConversationSummary } from '../../contracts/stored.ts';

export interface AgeGroup {
  readonly title: string;
  readonly conversations: readonly ConversationSummary[];
}

const dayMs = 86_400_000;

/** Conversations by the local day of their last change. Order within a group is kept. */
export function ageGroups(conversations: readonly ConversationSummary[], now: number): AgeGroup[] {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const groups = new Map<string, ConversationSummary[]>();
  for (const conversation of conversations) {
    const title = ageOf(conversation.updatedAt, midnight);
    groups.set(title, [...(groups.get(title) ?? []), conversation]);
  }
  return [...groups].map(([title, members]) => ({ title, conversations: members }));
}

function ageOf(at: number, midnight: number): string {
  if (at >= midnight) return 'Today';
  if (at >= midnight - dayMs) return 'Yesterday';
  if (at >= midnight - 7 * dayMs) return 'Last seven days';
  return new Date(at).toLocaleDateString('en', { month: 'long', year: 'numeric' });
}
