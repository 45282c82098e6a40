import type { RunEvent } from '../contracts/events.ts';
import { toFailure } from '../contracts/failure.ts';
import { forbidsTurn } from './budgets.ts';
import { transcriptHash } from './hash.ts';
import { Run, endingOf, type Ending, type RunInput } from './run.ts';
import { checkSelection } from './selection.ts';
import { takeTurn, type PendingSuggestion, type TurnOutcome } from './turn.ts';
import { routedView } from './views.ts';

/**
 * TRINITY's loop: one user message becomes turns of routed calls until a Verifier accepts, a budget or
 * the person ends it, or something fails.
 *
 * Yields every event of the run: `seq` from 0 without a gap, `run_started` first, exactly one terminal
 * event last. Never throws: what fails is a `run_failed`. The terminal event carries the last complete
 * Worker text and the last verdict, however the run ended.
 *
 * Everything it touches is passed in, so equal inputs give equal events. A stop or a deadline yields the
 * terminal event without waiting for router or agent: both see their signal abort and wind down by
 * themselves. A consumer may leave early (`return()` between two events): what is in flight is aborted
 * and no further event comes. While a `next()` is pending, only the signal ends a run.
 */
export async function* runTurns(input: RunInput): AsyncGenerator<RunEvent, void, void> {
  const run = new Run(input);
  try {
    yield started(run);
    let ending: Ending;
    try {
      ending = yield* turns(run);
    } catch (error) {
      const { code, message } = toFailure(error);
      ending = { kind: 'failed', code, message };
    }
    yield terminal(run, ending);
  } finally {
    run.close();
  }
}

async function* turns(run: Run): AsyncGenerator<RunEvent, Ending, void> {
  const { random, budgets, options } = run.input;
  const selection = checkSelection(run.input.selection, () => Math.floor(random.next() * 2 ** 32));
  let suggestion: PendingSuggestion | null = null;
  for (;;) {
    if (run.interrupts.cause !== null) return endingOf(run.interrupts.cause);
    const budget = forbidsTurn(budgets, run.spent);
    if (budget !== null) return { kind: 'budget', budget };
    const outcome: TurnOutcome = yield* takeTurn(run, run.turns.length + 1, selection, suggestion);
    if (outcome.kind === 'over') return outcome.ending;
    suggestion = outcome.suggestion;
    const accepted = outcome.verdict?.status === 'accepted';
    if (accepted && (run.answer !== null || !options.guardVerifier)) return { kind: 'accepted' };
  }
}

function started(run: Run): RunEvent {
  const { task, given, agents, budgets } = run.input;
  return run.stamp({
    type: 'run_started',
    turn: 0,
    task,
    ...(given !== undefined && given.length > 0 && { given: [...given] }),
    maxTurns: budgets.maxTurns,
    agentCount: agents.count,
    agents: agents.kind,
    transcriptHash: transcriptHash(routedView(run.transcript)),
  });
}

function terminal(run: Run, ending: Ending): RunEvent {
  const outcome = { turn: 0, answer: run.answer, verdict: run.verdict };
  switch (ending.kind) {
    case 'accepted':
      return run.stamp({ type: 'run_completed', status: 'accepted', budget: null, ...outcome });
    case 'stopped':
      return run.stamp({ type: 'run_completed', status: 'stopped', budget: null, ...outcome });
    case 'budget': {
      const status = ending.budget === 'turns' ? 'max_turns' : 'budget';
      return run.stamp({ type: 'run_completed', status, budget: ending.budget, ...outcome });
    }
    case 'failed':
      return run.stamp({
        type: 'run_failed',
        code: ending.code,
        message: ending.message,
        ...outcome,
      });
  }
}
