import { createStore } from 'zustand/vanilla';
import type { SessionPorts } from './session-ports.ts';

/** Where the text of a conversation that does not exist yet is kept. */
export const newDraftItem = 'trinity.draft';
/** Stands for the id of that conversation. */
export const newDraftKey = '';

export interface DraftState {
  /** Unsent text by conversation id. */
  readonly texts: Readonly<Record<string, string>>;
  /** Cancels the saving that waits, by conversation id. */
  readonly waiting: ReadonlyMap<string, () => void>;
}

export function createDraftStore(memory: SessionPorts['memory']) {
  const kept = memory.getItem(newDraftItem);
  const texts: Record<string, string> = kept === null ? {} : { [newDraftKey]: kept };
  return createStore<DraftState>(() => ({ texts, waiting: new Map() }));
}

export function draftOf(state: DraftState, conversationId: string | null): string {
  return state.texts[conversationId ?? newDraftKey] ?? '';
}
