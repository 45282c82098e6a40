import { createStore } from 'zustand/vanilla';
import type { ConversationSummary } from '../../contracts/stored.ts';

export interface ConversationListState {
  readonly conversations: readonly ConversationSummary[];
  readonly query: string;
  /** `before` of the next page; null at the end. */
  readonly next: number | null;
  readonly phase: 'loading' | 'ready';
}

export function createConversationStore() {
  return createStore<ConversationListState>(() => ({
    conversations: [],
    query: '',
    next: null,
    phase: 'loading',
  }));
}
