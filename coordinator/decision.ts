import type { TextHash } from '../contracts/hashes.ts';
import { margin } from '../contracts/logits.ts';
import { roleNames, type RoleName } from '../contracts/roles.ts';
import type { MaskCause, RouteDecision, RouteLogits, Selection } from '../contracts/route.ts';
import { CoordinatorError } from './error.ts';
import { guardRole } from './guard.ts';
import { choose, chooseAmong } from './selection.ts';

/** What the person fixes; an absent member leaves the choice to the router. */
export interface Pins {
  readonly slot?: number | undefined;
  readonly role?: RoleName | undefined;
}

export interface DecisionInput {
  readonly logits: RouteLogits;
  readonly transcriptHash: TextHash;
  /** Names the draws of a sampling selection. */
  readonly turn: number;
  readonly selection: Selection;
  readonly pins: Pins;
  /** A Thinker's suggestion for this turn, with the turn that made it. */
  readonly suggestion: { readonly role: RoleName; readonly turn: number } | null;
  readonly hasAnswer: boolean;
  readonly guardVerifier: boolean;
  /** Why a slot cannot be called, by index; slots beyond the list are disabled. */
  readonly masks: readonly (MaskCause | null)[];
}

/**
 * The coordinator's decision for one turn.
 *
 * Role: the person's pin, else a Thinker's suggestion, else the raw choice; the Verifier guard then
 * applies to all three. Slot: the pin, else the raw choice; a masked slot gives way to the best of the
 * others. The raw choice and both margins are over all raw logits, whatever was pinned or masked.
 *
 * @throws CoordinatorError `invalid_logits` (numbers that do not fit or are not finite), `invalid_pin`
 *   (a slot the router does not have), `no_agent_available` (every slot masked)
 */
export function decide(input: DecisionInput): RouteDecision {
  const { logits, selection, turn } = input;
  checkLogits(logits);
  const agent = choose(logits.agentLogits, selection, `turn ${turn} agent`);
  const role = choose(logits.roleLogits, selection, `turn ${turn} role`);
  return {
    ...logits,
    transcriptHash: input.transcriptHash,
    slot: decideSlot(input, agent.index),
    role: decideRole(input, roleNames[role.index] as RoleName),
    agentMargin: margin(logits.agentLogits),
    roleMargin: margin(logits.roleLogits),
    maskedMargin: maskedMargin(input),
    selection,
    agentProbabilities: agent.probabilities,
    roleProbabilities: role.probabilities,
  };
}

function decideSlot(input: DecisionInput, raw: number): RouteDecision['slot'] {
  const { pins, masks, selection, turn } = input;
  const { agentLogits } = input.logits;
  if (pins.slot !== undefined && !(pins.slot in agentLogits)) {
    throw new CoordinatorError(
      'invalid_pin',
      `Slot ${pins.slot} is pinned, but this router has slots 0 to ${agentLogits.length - 1}.`,
    );
  }
  const over = pins.slot === undefined ? 'router' : 'pin';
  const wanted = pins.slot ?? raw;
  const cause = maskOf(masks, wanted);
  if (cause === null) return { raw, effective: wanted, reason: { kind: over } };
  const allowed = agentLogits.map((_, index) => maskOf(masks, index) === null);
  if (!allowed.includes(true)) throw noAgentAvailable();
  const effective = chooseAmong(agentLogits, allowed, selection, `turn ${turn} agent, masked`);
  return { raw, effective, reason: { kind: 'mask', over, cause } };
}

function decideRole(input: DecisionInput, raw: RoleName): RouteDecision['role'] {
  const { pins, suggestion, hasAnswer, guardVerifier } = input;
  const wanted = pins.role ?? suggestion?.role ?? raw;
  const over =
    pins.role !== undefined ? 'pin' : suggestion !== null ? 'suggestion' : ('router' as const);
  const effective = guardRole(wanted, hasAnswer, guardVerifier);
  if (effective !== wanted) return { raw, effective, reason: { kind: 'guard', over } };
  return {
    raw,
    effective,
    reason:
      over === 'suggestion' && suggestion !== null
        ? { kind: 'suggestion', turn: suggestion.turn }
        : { kind: over === 'pin' ? 'pin' : 'router' },
  };
}

function maskedMargin({ logits, masks }: DecisionInput): number | null {
  const left = logits.agentLogits.filter((_, index) => maskOf(masks, index) === null);
  return left.length === logits.agentLogits.length ? null : margin(left);
}

function maskOf(masks: readonly (MaskCause | null)[], slot: number): MaskCause | null {
  const mask = masks[slot];
  return mask === undefined ? 'disabled' : mask;
}

function checkLogits({ agentLogits, roleLogits }: RouteLogits): void {
  const problem =
    agentLogits.length === 0
      ? 'no agent logits'
      : roleLogits.length !== roleNames.length
        ? `${roleLogits.length} role logits instead of ${roleNames.length}`
        : [...agentLogits, ...roleLogits].every(Number.isFinite)
          ? null
          : 'logits that are not finite';
  if (problem !== null) {
    throw new CoordinatorError(
      'invalid_logits',
      `The router gave ${problem}. Check it with the self-test or choose another router.`,
    );
  }
}

/** The error of a turn that has nobody to call. */
export function noAgentAvailable(): CoordinatorError {
  return new CoordinatorError(
    'no_agent_available',
    'No slot can be called: each one is unbound, disabled, unhealthy, out of its budget or has just failed. Check the slots.',
    { retryable: true },
  );
}
