import { createStore } from 'zustand/vanilla';
import type { Failure } from '../../contracts/failure.ts';
import type { Conversation, RunRecord } from '../../contracts/stored.ts';

export interface ChatState {
  /** The open conversation; null for one that begins with the next message. */
  readonly conversationId: string | null;
  readonly title: string;
  readonly systemPrompt: string;
  /** Runs oldest first. A run keeps its identity until an event touches it. */
  readonly runs: readonly RunRecord[];
  /** `missing`: the host has no conversation of this id. */
  readonly phase: 'loading' | 'ready' | 'failed' | 'missing';
  readonly failure: Failure | null;
  /** The id of the conversation that is being created; null while none is. */
  readonly creating: Promise<string> | null;
  /** The message on its way to becoming a run. */
  readonly sending: string | null;
  /** Runs that were asked to stop and have not ended yet. */
  readonly stopping: readonly string[];
}

export const noConversation: ChatState = {
  conversationId: null,
  title: '',
  systemPrompt: '',
  runs: [],
  phase: 'ready',
  failure: null,
  creating: null,
  sending: null,
  stopping: [],
};

export function createChatStore() {
  return createStore<ChatState>(() => noConversation);
}

/** The run that is going on, if any: a conversation has at most one. */
export function liveRun(state: ChatState): RunRecord | null {
  return state.runs.findLast((run) => run.status === 'running') ?? null;
}

/** Replaces one run, or adds it at the end. */
export function withRun(runs: readonly RunRecord[], run: RunRecord): readonly RunRecord[] {
  const index = runs.findIndex(({ id }) => id === run.id);
  if (index === -1) return [...runs, run];
  return runs[index] === run ? runs : runs.with(index, run);
}

/**
 * The state after the host told a conversation. A run that this page has followed further than the host
 * had written keeps its own record; an ended one is always the host's.
 */
export function withConversation(state: ChatState, told: Conversation): ChatState {
  const known = new Map(state.conversationId === told.id ? state.runs.map((r) => [r.id, r]) : []);
  const runs = told.runs.map((run) => {
    const ours = known.get(run.id);
    if (ours === undefined) return run;
    const isOlder = run.status === 'running' && run.lastSeq <= ours.lastSeq;
    return isOlder || (run.lastSeq === ours.lastSeq && run.status === ours.status) ? ours : run;
  });
  const toldIds = new Set(told.runs.map(({ id }) => id));
  const fresh = [...known.values()].filter(
    (run) => run.status === 'running' && !toldIds.has(run.id),
  );
  return {
    ...state,
    conversationId: told.id,
    title: told.title,
    systemPrompt: told.systemPrompt,
    runs: [...runs, ...fresh],
    phase: 'ready',
    failure: null,
  };
}
