import type { RunEvent, RunEventOf } from './events.ts';
import type { RunRecord, TurnRecord } from './stored.ts';

/** The `seq` of the event that a record needs next. Another one is a repetition or a gap. */
export function nextSeq(run: RunRecord): number {
  return run.lastSeq + 1;
}

/** The record of a run before its first event: nothing has happened, event 0 comes next. */
export function openRun(of: {
  readonly id: string;
  readonly conversationId: string;
  readonly task: string;
  readonly agents: RunRecord['agents'];
  readonly startedAt: number;
}): RunRecord {
  return {
    ...of,
    status: 'running',
    budget: null,
    code: null,
    message: null,
    answer: null,
    verdict: null,
    endedAt: null,
    lastSeq: -1,
    turns: [],
  };
}

/**
 * The run after one more event. What a window shows and what the database keeps come from this one
 * function, so that both always agree.
 *
 * Pure and total: an event of another run, a repeated one and one beyond a gap give back the same
 * record, unchanged (compare `nextSeq` to notice a gap). Turns that an event does not touch keep
 * their identity.
 */
export function foldRun(run: RunRecord, event: RunEvent): RunRecord {
  if (event.runId !== run.id || event.seq !== nextSeq(run)) return run;
  return { ...applied(run, event), lastSeq: event.seq };
}

function applied(run: RunRecord, event: RunEvent): RunRecord {
  switch (event.type) {
    case 'run_started':
      return { ...run, task: event.task, agents: event.agents, startedAt: event.at };
    case 'run_completed':
      return {
        ...run,
        status: event.status,
        budget: event.budget,
        answer: event.answer,
        verdict: event.verdict,
        endedAt: event.at,
      };
    case 'run_failed':
      return {
        ...run,
        status: 'failed',
        code: event.code,
        message: event.message,
        answer: event.answer,
        verdict: event.verdict,
        endedAt: event.at,
      };
    default:
      return { ...run, turns: withTurn(run.turns, event) };
  }
}

type TurnEvent = Exclude<RunEvent, RunEventOf<'run_started' | 'run_completed' | 'run_failed'>>;

function withTurn(turns: readonly TurnRecord[], event: TurnEvent): TurnRecord[] {
  const index = turns.findLastIndex((turn) => turn.turn === event.turn);
  if (index === -1) return [...turns, turnAfter(emptyTurn(event.turn), event)];
  return turns.map((turn, at) => (at === index ? turnAfter(turn, event) : turn));
}

function emptyTurn(turn: number): TurnRecord {
  return {
    turn,
    decisions: [],
    slot: null,
    role: null,
    provider: null,
    model: null,
    resolvedModel: null,
    text: '',
    reasoning: '',
    complete: false,
    finishReason: null,
    verdict: null,
    suggestion: null,
    failures: [],
    usage: null,
    costUsd: null,
    firstTokenMs: null,
    latencyMs: null,
  };
}

function turnAfter(turn: TurnRecord, event: TurnEvent): TurnRecord {
  switch (event.type) {
    case 'turn_started':
      return turn;
    case 'routed':
      return {
        ...turn,
        decisions: [...turn.decisions, event.decision],
        slot: event.decision.slot.effective,
        role: event.decision.role.effective,
      };
    case 'dispatch_started':
      return {
        ...turn,
        slot: event.slot,
        role: event.role,
        provider: event.provider,
        model: event.model,
      };
    case 'delta':
      return event.channel === 'text'
        ? { ...turn, text: turn.text + event.text }
        : { ...turn, reasoning: turn.reasoning + event.text };
    case 'dispatch_finished':
      return {
        ...turn,
        finishReason: event.finishReason,
        usage: event.usage,
        costUsd: event.costUsd,
        resolvedModel: event.resolvedModel,
        firstTokenMs: event.firstTokenMs,
        latencyMs: event.latencyMs,
      };
    case 'dispatch_failed':
      return afterFailure(turn, event);
    case 'turn_completed':
      return {
        ...turn,
        slot: event.slot,
        role: event.role,
        text: event.text,
        complete: event.complete,
        verdict: event.verdict,
        suggestion: event.suggestion,
      };
  }
}

function afterFailure(turn: TurnRecord, event: RunEventOf<'dispatch_failed'>): TurnRecord {
  const { slot, code, message, next } = event;
  return {
    ...turn,
    failures: [...turn.failures, { slot, code, message, next }],
    latencyMs: next === 'end' ? event.latencyMs : turn.latencyMs,
    // Thoughts of an attempt that is made again belong to no text; shown text is never taken back.
    reasoning: next === 'end' || turn.text !== '' ? turn.reasoning : '',
  };
}
