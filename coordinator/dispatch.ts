import type { AgentCall, AgentEvent, CostEstimate } from '../contracts/agents.ts';
import type { RunEvent } from '../contracts/events.ts';
import { costOf, permitsCall } from './budgets.ts';
import type { Ending, Run } from './run.ts';

/** How a call came out. `text` is what had been shown, also when it is not complete. */
export type CallOutcome = { readonly text: string } & (
  | { readonly kind: 'finished' }
  | { readonly kind: 'failed'; readonly failure: CallFailure }
  | { readonly kind: 'interrupted' }
  /** A retry that a budget does not allow. */
  | { readonly kind: 'refused'; readonly ending: Ending }
);

export interface CallFailure {
  readonly call: number;
  readonly code: string;
  readonly message: string;
  readonly httpStatus: number | null;
  readonly latencyMs: number;
}

/**
 * Makes one call with its retries and yields its events up to, but without, the one of a final failure:
 * what follows from that is the turn's to say.
 *
 * An interruption aborts the call and returns at once with the text so far. The latency deadline runs
 * from an attempt's start and fires when elapsed >= limit.
 */
export async function* dispatch(
  run: Run,
  call: AgentCall,
  names: { readonly provider: string; readonly model: string },
  estimate: CostEstimate,
): AsyncGenerator<RunEvent, CallOutcome, void> {
  const { interrupts } = run;
  const { agents, budgets, clock } = run.input;
  const { turn, slot } = call;
  let provider = names.provider;
  let model = names.model;
  let text = '';
  let attemptOpen = false;
  /** Whether the agent said that it began the attempt: one that did not has cost nothing. */
  let wasSent = false;
  let cancelDeadline = () => {};
  let startedAt = clock.monotonic();

  const begin = (): RunEvent => {
    attemptOpen = true;
    wasSent = false;
    run.calls += 1;
    startedAt = clock.monotonic();
    const { role } = call;
    return run.stamp({
      type: 'dispatch_started',
      turn,
      call: run.calls,
      slot,
      role,
      provider,
      model,
    });
  };
  // Armed when the event has been taken: time that its consumer takes is not the agent's.
  const armDeadline = () => {
    cancelDeadline = interrupts.deadline(budgets.maxLatencyMs, 'latency');
  };
  const failed = (event: Omit<CallFailure, 'call'>): CallOutcome => {
    if (wasSent) {
      run.costUsd += costOf({ outcome: 'failed', httpStatus: event.httpStatus }, estimate);
    }
    return { kind: 'failed', text, failure: { ...event, call: run.calls } };
  };

  const abort = new AbortController();
  let stream: AsyncIterator<AgentEvent> | null = null;
  try {
    yield begin();
    if (interrupts.cause !== null) return { kind: 'interrupted', text };
    armDeadline();
    stream = agents
      .call(call, AbortSignal.any([interrupts.signal, abort.signal]))
      [Symbol.asyncIterator]();
    for (;;) {
      const step = await interrupts.race(stream.next());
      if (step.interrupted) return { kind: 'interrupted', text };
      if (step.value.done === true) {
        return failed({
          code: 'stream_ended',
          message: 'The answer ended without saying that it was finished.',
          httpStatus: null,
          latencyMs: clock.monotonic() - startedAt,
        });
      }
      const event = step.value.value;
      if (event.type === 'started') ({ provider, model } = event);
      if (!attemptOpen) {
        yield begin();
        armDeadline();
      }
      if (event.type !== 'failed') wasSent = true;
      switch (event.type) {
        case 'started':
          break;
        case 'delta':
          if (event.text === '') break;
          if (event.channel === 'text') text += event.text;
          yield run.stamp({ turn, ...event });
          break;
        case 'finished': {
          cancelDeadline();
          run.costUsd += costOf({ outcome: 'finished', costUsd: event.costUsd }, estimate);
          const { type: _, ...facts } = event;
          yield run.stamp({ type: 'dispatch_finished', turn, call: run.calls, slot, ...facts });
          return { kind: 'finished', text };
        }
        case 'failed': {
          cancelDeadline();
          const { type: _, retrying, ...facts } = event;
          const outcome = failed(facts);
          // Shown text is never taken back: an attempt that fails after it is the last one.
          if (!retrying || text !== '') return outcome;
          const permission = permitsCall(budgets, run.spent, estimate);
          const next = permission.kind === 'granted' ? 'retry' : 'end';
          yield run.stamp({
            type: 'dispatch_failed',
            turn,
            call: run.calls,
            slot,
            ...facts,
            afterContent: false,
            next,
          });
          if (permission.kind !== 'granted') {
            return { kind: 'refused', text, ending: refusal(permission) };
          }
          if (interrupts.cause !== null) return { kind: 'interrupted', text };
          attemptOpen = false;
          break;
        }
      }
    }
  } catch (error) {
    // Agents promise failures as events; one that throws anyway is a failed call, not a failed program.
    return failed({
      code: 'agent_error',
      message: error instanceof Error ? error.message : String(error),
      httpStatus: null,
      latencyMs: clock.monotonic() - startedAt,
    });
  } finally {
    cancelDeadline();
    abort.abort();
    // Not waited for: an agent that winds down slowly holds up nobody.
    stream?.return?.().catch(() => {});
  }
}

/** The ending of a run whose next call is not permitted. */
export function refusal(
  permission: Exclude<ReturnType<typeof permitsCall>, { readonly kind: 'granted' }>,
): Ending {
  return permission.kind === 'exhausted'
    ? { kind: 'budget', budget: permission.budget }
    : { kind: 'failed', code: 'price_unknown', message: permission.reason };
}
