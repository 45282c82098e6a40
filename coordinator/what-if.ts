import type { SlotState } from '../contracts/agents.ts';
import type { RouteDecision, Selection } from '../contracts/route.ts';
import type { Router } from '../contracts/router.ts';
import { decide, type Pins } from './decision.ts';
import { answerToJudge } from './guard.ts';
import { transcriptHash } from './hash.ts';
import type { RouteDefaults } from './run.ts';
import { checkSelection } from './selection.ts';
import { routedView, type PastRun } from './views.ts';

export interface WhatIfInput {
  /** The message that might be sent. */
  readonly task: string;
  readonly systemPrompt: string;
  readonly history: readonly PastRun[];
  readonly given?: readonly string[];
  readonly pins: Pins;
  /** Slots to be thought away, on top of those that cannot be called now. */
  readonly disabledSlots: readonly number[];
  readonly selection: Selection;
  readonly guardVerifier: boolean;
  readonly router: Router;
  readonly routeDefaults: RouteDefaults;
  readonly cacheKey?: string | undefined;
  readonly slots: readonly SlotState[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * What the first turn of a run with this message would decide. Nobody is called, nothing is kept: the
 * prefix cache is read and never written. A sampling selection without a seed uses seed 0, so that the
 * same question has the same answer.
 *
 * @throws CoordinatorError as `decide` and `checkSelection` do; the router's own error where it fails
 */
export async function whatIf(input: WhatIfInput): Promise<RouteDecision> {
  const { router, routeDefaults, cacheKey, signal, given = [], disabledSlots } = input;
  const transcript = { ...input, given, turns: [] };
  const selection = checkSelection(input.selection, () => 0);
  const messages = routedView(transcript);
  const logits = await router.route(
    { ...routeDefaults, messages, ...(cacheKey !== undefined && { cacheKey, cache: 'read' }) },
    signal === undefined ? {} : { signal },
  );
  return decide({
    logits,
    transcriptHash: transcriptHash(messages),
    turn: 1,
    selection,
    pins: input.pins,
    suggestion: null,
    hasAnswer: answerToJudge(transcript) !== null,
    guardVerifier: input.guardVerifier,
    masks: input.slots.map(({ mask }, slot) => (disabledSlots.includes(slot) ? 'disabled' : mask)),
  });
}
