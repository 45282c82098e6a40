import type { AgentCall, SlotState } from '../contracts/agents.ts';
import type { RunEvent, Suggestion, Verdict } from '../contracts/events.ts';
import type { MaskCause, RouteDecision, Selection } from '../contracts/route.ts';
import { permitsCall } from './budgets.ts';
import { decide, noAgentAvailable } from './decision.ts';
import { dispatch, refusal, type CallOutcome } from './dispatch.ts';
import { CoordinatorError } from './error.ts';
import { textHash, transcriptHash } from './hash.ts';
import { instructionFor } from './instructions.ts';
import { endingOf, type Ending, type Run } from './run.ts';
import { parseSuggestion } from './thinker.ts';
import { parseVerdict } from './verdict.ts';
import { providerView, routedView } from './views.ts';

/** A Thinker's suggestion waiting for the turn after its own. */
export interface PendingSuggestion {
  readonly role: Suggestion['role'];
  readonly turn: number;
}

export type TurnOutcome =
  | {
      readonly kind: 'complete';
      readonly verdict: Verdict | null;
      readonly suggestion: PendingSuggestion | null;
    }
  | { readonly kind: 'over'; readonly ending: Ending };

/**
 * One turn: route, select, call, read the answer.
 *
 * A call that finally fails before any text is selected again once with its slot masked; both
 * decisions and the failure stay among the events. A turn in which a call was begun always closes with
 * one `turn_completed`, which holds the partial text where there is no more.
 *
 * @throws CoordinatorError as `decide` does; the router's own error where it fails
 */
export async function* takeTurn(
  run: Run,
  turn: number,
  selection: Selection,
  suggestion: PendingSuggestion | null,
): AsyncGenerator<RunEvent, TurnOutcome, void> {
  const { agents } = run.input;
  const messages = routedView(run.transcript);
  const hash = transcriptHash(messages);
  yield run.stamp({
    type: 'turn_started',
    turn,
    transcriptHash: hash,
    messageCount: messages.length,
  });
  if (agents.slots().every(({ mask }) => mask !== null)) throw noAgentAvailable();

  const { router, routeDefaults, cacheKey, pins, options } = run.input;
  const routed = await run.interrupts.race(
    router.route(
      {
        ...routeDefaults,
        messages,
        ...(cacheKey !== undefined && { cacheKey, cache: 'readwrite' }),
      },
      { signal: run.interrupts.signal },
    ),
  );
  if (routed.interrupted) return over(interruptedEnding(run));
  const decideAmong = (masks: readonly (MaskCause | null)[]): RouteDecision =>
    decide({
      logits: routed.value,
      transcriptHash: hash,
      turn,
      selection,
      pins,
      suggestion,
      hasAnswer: run.answer !== null,
      guardVerifier: options.guardVerifier,
      masks,
    });

  let decision = decideAmong(agents.slots().map(({ mask }) => mask));
  for (let reselected = false; ; reselected = true) {
    yield run.stamp({ type: 'routed', turn, decision });
    const attempt = yield* callAgent(run, turn, decision);
    if (attempt.kind === 'not_made') {
      if (reselected) yield cutTurn(run, turn, decision, '');
      return over(attempt.ending);
    }
    const { outcome } = attempt;
    if (outcome.kind === 'finished') return yield* completeTurn(run, turn, decision, outcome.text);
    if (outcome.kind !== 'failed') {
      yield cutTurn(run, turn, decision, outcome.text);
      return over(outcome.kind === 'refused' ? outcome.ending : interruptedEnding(run));
    }
    const again =
      reselected || outcome.text !== '' || run.interrupts.cause !== null
        ? null
        : selectedAgain(decideAmong, agents.slots(), decision.slot.effective);
    yield run.stamp({
      type: 'dispatch_failed',
      turn,
      slot: decision.slot.effective,
      ...outcome.failure,
      afterContent: outcome.text !== '',
      next: again === null ? 'end' : 'reselect',
    });
    if (again === null || run.interrupts.cause !== null) {
      yield cutTurn(run, turn, decision, outcome.text);
      if (run.interrupts.cause !== null) return over(interruptedEnding(run));
      const { code, message } = outcome.failure;
      return over({ kind: 'failed', code, message });
    }
    decision = again;
  }
}

type Attempt =
  | { readonly kind: 'made'; readonly outcome: CallOutcome }
  | { readonly kind: 'not_made'; readonly ending: Ending };

async function* callAgent(
  run: Run,
  turn: number,
  decision: RouteDecision,
): AsyncGenerator<RunEvent, Attempt, void> {
  const { agents, budgets, runId } = run.input;
  if (run.interrupts.cause !== null) return { kind: 'not_made', ending: interruptedEnding(run) };
  const slot = decision.slot.effective;
  const role = decision.role.effective;
  const state = agents.slots()[slot];
  const instruction = instructionFor(role, run.input.roleInstructions, run.input.options);
  const view = providerView(run.transcript, instruction, state?.systemSuffix ?? '');
  const call: AgentCall = { runId, turn, slot, role, view };
  const estimate = agents.estimateCost(call);
  const permission = permitsCall(budgets, run.spent, estimate);
  if (permission.kind !== 'granted') return { kind: 'not_made', ending: refusal(permission) };
  const names = { provider: state?.provider ?? '', model: state?.model ?? '' };
  return { kind: 'made', outcome: yield* dispatch(run, call, names, estimate) };
}

/** The second decision of a turn, or null when no other slot is left. */
function selectedAgain(
  decideAmong: (masks: readonly (MaskCause | null)[]) => RouteDecision,
  slots: readonly SlotState[],
  failedSlot: number,
): RouteDecision | null {
  try {
    return decideAmong(slots.map(({ mask }, slot) => (slot === failedSlot ? 'failed' : mask)));
  } catch (error) {
    if (error instanceof CoordinatorError && error.code === 'no_agent_available') return null;
    throw error;
  }
}

async function* completeTurn(
  run: Run,
  turn: number,
  decision: RouteDecision,
  text: string,
): AsyncGenerator<RunEvent, TurnOutcome, void> {
  const { acceptWord, reviseWord, followSuggestions } = run.input.options;
  const role = decision.role.effective;
  const verdict =
    role === 'Verifier' ? parseVerdict(text, { accept: acceptWord, revise: reviseWord }) : null;
  const suggestion = role === 'Thinker' ? parseSuggestion(text) : null;
  run.turns.push({ role, text });
  if (verdict !== null) run.verdict = verdict;
  if (verdict !== null && verdict.status !== 'accepted') run.revisions += 1;
  yield run.stamp({
    type: 'turn_completed',
    turn,
    slot: decision.slot.effective,
    role,
    text,
    textHash: textHash(text),
    complete: true,
    verdict,
    suggestion,
  });
  const pending = suggestion !== null && followSuggestions ? { role: suggestion.role, turn } : null;
  return { kind: 'complete', verdict, suggestion: pending };
}

function cutTurn(run: Run, turn: number, decision: RouteDecision, text: string): RunEvent {
  return run.stamp({
    type: 'turn_completed',
    turn,
    slot: decision.slot.effective,
    role: decision.role.effective,
    text,
    textHash: textHash(text),
    complete: false,
    verdict: null,
    suggestion: null,
  });
}

function interruptedEnding(run: Run): Ending {
  return endingOf(run.interrupts.cause ?? 'stopped');
}

function over(ending: Ending): TurnOutcome {
  return { kind: 'over', ending };
}
