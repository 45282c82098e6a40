import {
  isUnderFloor,
  type EvalCase,
  type EvalCaseResult,
  type EvalRequest,
} from '../../contracts/evals.ts';
import type { SnapshotCase } from './snapshot.ts';

/** Floors that margins must reach; null floors assert nothing. Where they come from is said. */
export interface Floors {
  readonly agent: number | null;
  readonly role: number | null;
  readonly source: EvalRequest['floorSource'];
}

/** What a case's route was, as far as it is judged. */
export type JudgedRoute = Pick<
  EvalCaseResult,
  'agentId' | 'roleId' | 'agentMargin' | 'roleMargin' | 'tokenCount' | 'upstreamTranscriptHash'
>;

/** What can fail, in the order in which it is named. */
export const failureNames = [
  'transcript_hash',
  'token_count',
  'agent',
  'role',
  'snapshot_agent',
  'snapshot_role',
  'agent_margin',
  'role_margin',
  'determinism',
] as const;
export type FailureName = (typeof failureNames)[number];

/**
 * Judges one route against the case's expectation, the margin floors (a margin equal to its floor
 * passes; a floor of 0 asserts nothing), and the snapshot's decision, token count and transcript. A case
 * that the snapshot lacks is not judged by it. Logits are recorded, never asserted: they move between
 * kernels while decisions stand.
 */
export function failuresOf(
  evalCase: EvalCase,
  route: JudgedRoute,
  floors: Floors,
  snapshot: SnapshotCase | undefined,
): FailureName[] {
  const { agentIds, roleIds } = evalCase.expected;
  const broken: Record<FailureName, boolean> = {
    transcript_hash:
      snapshot !== undefined && snapshot.transcript_hash !== route.upstreamTranscriptHash,
    token_count: snapshot !== undefined && snapshot.token_count !== route.tokenCount,
    agent: agentIds !== undefined && !agentIds.includes(route.agentId),
    role: roleIds !== undefined && !roleIds.includes(route.roleId),
    snapshot_agent: snapshot !== undefined && snapshot.agent_id !== route.agentId,
    snapshot_role: snapshot !== undefined && snapshot.role_id !== route.roleId,
    agent_margin: isUnderFloor(route.agentMargin, floors.agent),
    role_margin: isUnderFloor(route.roleMargin, floors.role),
    determinism: false,
  };
  return failureNames.filter((name) => broken[name]);
}

/** True when something about the case is asserted at all. */
export function assertsAnything(
  evalCase: EvalCase,
  floors: Floors,
  snapshot: SnapshotCase | undefined,
): boolean {
  return (
    evalCase.expected.agentIds !== undefined ||
    evalCase.expected.roleIds !== undefined ||
    (floors.agent ?? 0) > 0 ||
    (floors.role ?? 0) > 0 ||
    snapshot !== undefined
  );
}
