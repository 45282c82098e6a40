import type { EvalCase } from '../../contracts/evals.ts';
import { argmax } from '../../contracts/logits.ts';
import type { Conversation, RunRecord } from '../../contracts/stored.ts';
import { transcriptHash } from '../../coordinator/hash.ts';
import { routedView } from '../../coordinator/views.ts';
import { EvalError } from './eval-error.ts';

/**
 * The evaluation case of one routed turn: the messages the router read before its window, and on demand
 * its choice by the highest logits as the expectation, which is what an evaluation compares: a choice that
 * was drawn is not one the router would make again.
 *
 * @throws EvalError `unknown_case` when there is no such turn or it was never routed; `turn_changed` when
 *   the conversation no longer gives the transcript that was routed (its system prompt was edited since)
 */
export function caseFromTurn(
  conversation: Conversation,
  runId: string,
  turn: number,
  expectsChoice: boolean,
): EvalCase {
  const position = conversation.runs.findIndex((run) => run.id === runId);
  const run = conversation.runs[position];
  const decision = run?.turns.find((record) => record.turn === turn)?.decisions[0];
  if (run === undefined || decision === undefined) {
    throw new EvalError('unknown_case', 'There is no such routed turn in this conversation.');
  }
  const messages = routedView({
    systemPrompt: conversation.systemPrompt,
    history: conversation.runs.slice(0, position).map(({ task, answer }) => ({ task, answer })),
    task: run.task,
    given: [],
    turns: turnsBefore(run, turn),
  });
  if (transcriptHash(messages) !== decision.transcriptHash) {
    throw new EvalError(
      'turn_changed',
      'The conversation was edited since this turn was routed, so that what the router read is gone.',
    );
  }
  return {
    id: `${runId}-turn-${turn}`,
    messages,
    expected: expectsChoice
      ? { agentIds: [argmax(decision.agentLogits)], roleIds: [argmax(decision.roleLogits)] }
      : {},
    tags: ['conversation', `turn-${turn}`],
    notes: conversation.title,
  };
}

/** Complete turns alone join the routed transcript. */
function turnsBefore(run: RunRecord, turn: number) {
  return run.turns.flatMap((record) =>
    record.turn < turn && record.complete && record.role !== null
      ? [{ role: record.role, text: record.text }]
      : [],
  );
}
