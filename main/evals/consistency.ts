import { argmax, margin } from '../../contracts/logits.ts';

/** A stored decision with the logits that it was made from. */
export interface StoredDecision {
  readonly agentId: number;
  readonly roleId: number;
  readonly agentMargin: number | null;
  readonly roleMargin: number | null;
  readonly agentLogits: readonly number[];
  readonly roleLogits: readonly number[];
}

/**
 * The first member of a stored decision that its own logits contradict; null when it holds. Whoever edits a
 * decision by hand rarely edits the logits to match.
 *
 * @param marginTolerance how far a margin may lie from that of the logits, which may have been rounded
 */
export function contradictedMember(
  decision: StoredDecision,
  marginTolerance: number,
): 'agentId' | 'roleId' | 'agentMargin' | 'roleMargin' | null {
  const { agentLogits, roleLogits, agentId, roleId, agentMargin, roleMargin } = decision;
  const differs = (stored: number | null, logits: readonly number[]): boolean =>
    Math.abs((margin(logits) ?? 0) - (stored ?? 0)) > marginTolerance;
  if (argmax(agentLogits) !== agentId) return 'agentId';
  if (argmax(roleLogits) !== roleId) return 'roleId';
  if (differs(agentMargin, agentLogits)) return 'agentMargin';
  if (differs(roleMargin, roleLogits)) return 'roleMargin';
  return null;
}
