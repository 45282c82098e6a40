import type { RunEvent } from '../contracts/events.ts';
import { roleNames } from '../contracts/roles.ts';
import { chatRouteDefaults, type RouteDecision } from '../contracts/route.ts';
import type { Router } from '../contracts/router.ts';
import type { Message } from '../contracts/transcript.ts';
import { transcriptHash } from './hash.ts';
import { choose } from './selection.ts';

/** One recorded routing, asked again. */
export interface ReplayedRoute {
  readonly turn: number;
  readonly recorded: RouteDecision;
  readonly slot: { readonly recorded: number; readonly now: number };
  readonly role: { readonly recorded: string; readonly now: string };
  /** Largest difference of any logit; null when their numbers differ. */
  readonly logitDifference: number | null;
  /** False when the transcript rebuilt from the events is not the one that was routed. */
  readonly sameTranscript: boolean;
  /** False when another router or another profile answers now. */
  readonly sameRouter: boolean;
}

/**
 * Routes every recorded transcript of a run again and compares the raw choices. Masks, pins and
 * suggestions are not replayed: they are facts of that run, not of the router.
 *
 * @param earlier the routed messages before the run's task, which its events do not hold
 * @param events  a run's events with their texts, from its first one
 */
export async function* replayRoutes(
  earlier: readonly Message[],
  events: Iterable<RunEvent> | AsyncIterable<RunEvent>,
  router: Router,
  signal: AbortSignal,
): AsyncGenerator<ReplayedRoute, void, void> {
  let messages: Message[] = [];
  let routedTurn = 0;
  for await (const event of events) {
    if (signal.aborted) return;
    if (event.type === 'run_started') messages = openingMessages(earlier, event);
    if (event.type === 'turn_completed' && event.complete) {
      messages = [...messages, { role: 'assistant', content: event.text }];
    }
    // A turn that was selected again was routed once.
    if (event.type !== 'routed' || event.turn === routedTurn) continue;
    routedTurn = event.turn;
    yield await replayed(event.turn, event.decision, messages, router, signal);
  }
}

/** The routed messages with which a run began: what came before, its task, and what came with that. */
export function openingMessages(
  earlier: readonly Message[],
  started: { readonly task: string; readonly given?: readonly string[] | undefined },
): Message[] {
  return [
    ...earlier,
    { role: 'user', content: started.task },
    ...(started.given ?? []).map((content): Message => ({ role: 'assistant', content })),
  ];
}

async function replayed(
  turn: number,
  recorded: RouteDecision,
  messages: readonly Message[],
  router: Router,
  signal: AbortSignal,
): Promise<ReplayedRoute> {
  const now = await router.route(
    {
      messages: [...messages],
      windowTokens: recorded.window.limit,
      messageCharacters: chatRouteDefaults.messageCharacters,
      tokenizer: recorded.tokenizer,
    },
    { signal },
  );
  const slot = choose(now.agentLogits, recorded.selection, `turn ${turn} agent`).index;
  const role = choose(now.roleLogits, recorded.selection, `turn ${turn} role`).index;
  return {
    turn,
    recorded,
    slot: { recorded: recorded.slot.raw, now: slot },
    role: { recorded: recorded.role.raw, now: roleNames[role] ?? `role_${role}` },
    logitDifference: largestDifference(
      [...recorded.agentLogits, ...recorded.roleLogits],
      [...now.agentLogits, ...now.roleLogits],
    ),
    sameTranscript: transcriptHash(messages) === recorded.transcriptHash,
    sameRouter: now.adapterRef === recorded.adapterRef && now.profile === recorded.profile,
  };
}

function largestDifference(a: readonly number[], b: readonly number[]): number | null {
  if (a.length !== b.length) return null;
  return a.reduce((most, value, index) => Math.max(most, Math.abs(value - (b[index] ?? 0))), 0);
}
