import type { RunEvent } from '../../contracts/events.ts';
import { foldRun, nextSeq } from '../../contracts/fold-run.ts';
import type { RunRecord } from '../../contracts/stored.ts';
import type { RunStore } from './run-store.ts';

/**
 * Ends the runs that a dead program left running: each becomes stopped, its partial text stays in its
 * turn. Runs of programs that are alive are left alone.
 *
 * @returns the runs ended
 */
export function endAbandonedRuns(runs: RunStore, now: number): RunRecord[] {
  return runs.abandoned().map((id) => {
    const record = runs.read(id);
    const [last] = runs.events(id, record.lastSeq, 1);
    // The time of the last thing known, not of this start, which may be days later.
    const ended = endedEarly(record, { status: 'stopped' }, last?.at ?? now);
    const stopped = foldRun(record, ended);
    runs.append(stopped, [ended]);
    return stopped;
  });
}

/** How a run ends that its loop could not end. */
type EarlyEnd =
  | { readonly status: 'stopped' }
  | { readonly status: 'failed'; readonly code: string; readonly message: string };

/** The terminal event of such a run: it carries the last complete Worker text and the last verdict. */
export function endedEarly(run: RunRecord, end: EarlyEnd, at: number): RunEvent {
  const outcome = {
    answer: run.turns.findLast((turn) => turn.role === 'Worker' && turn.complete)?.text ?? null,
    verdict: run.turns.findLast((turn) => turn.verdict !== null)?.verdict ?? null,
  };
  const base = { v: 1, seq: nextSeq(run), runId: run.id, turn: 0, at } as const;
  return end.status === 'stopped'
    ? { ...base, type: 'run_completed', status: 'stopped', budget: null, ...outcome }
    : { ...base, type: 'run_failed', code: end.code, message: end.message, ...outcome };
}
