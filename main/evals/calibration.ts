import type { CaseComparison } from './comparison.ts';

/** Share of the worst agreeing margin that becomes the floor. */
const floorShare = 0.8;
/** Root-mean-square drift, relative to the logits' own, above which a profile is refused. */
const maxRelativeDrift = 0.1;

export interface CalibrationResult {
  readonly agentFloor: number;
  readonly roleFloor: number;
  readonly cases: number;
  /** Cases with the same slot and role as the reference. */
  readonly agreeing: number;
  readonly rmsDrift: number;
  readonly rmsLogit: number;
  /** Why the profile may not become the default; empty when it may. */
  readonly refusals: readonly string[];
}

/**
 * Judges a profile against the reference profile on one suite.
 *
 * Floors are 80 % of the worst margin among agreeing cases. A profile is refused when it flips a decision
 * whose reference margin lies above the reference's own floor, when its logit drift exceeds 10 % of the
 * logits' root mean square, or when something other than logits differs.
 *
 * @param comparisons     reference on the left, the profile on the right
 * @param referenceFloors the reference's floors; null when it has none: 80 % of its worst margins here
 */
export function calibrate(
  comparisons: readonly CaseComparison[],
  referenceFloors: { readonly agent: number; readonly role: number } | null,
): CalibrationResult {
  const pairs = comparisons.flatMap((comparison) => {
    const { left, right } = comparison;
    return left === null || right === null ? [] : [{ ...comparison, left, right }];
  });
  const own = referenceFloors ?? {
    agent: floorShare * smallest(pairs.map((pair) => pair.left.agentMargin)),
    role: floorShare * smallest(pairs.map((pair) => pair.left.roleMargin)),
  };
  const agreeing = pairs.filter((pair) => pair.kind === 'same');
  const squares = pairs.reduce((sum, pair) => sum + (pair.drift?.rms ?? 0) ** 2, 0);
  const rmsDrift = pairs.length === 0 ? 0 : Math.sqrt(squares / pairs.length);
  const rmsLogit = rootMeanSquare(
    pairs.flatMap((pair) => [...pair.left.agentLogits, ...pair.left.roleLogits]),
  );
  return {
    agentFloor: floorShare * smallest(agreeing.map((pair) => pair.right.agentMargin)),
    roleFloor: floorShare * smallest(agreeing.map((pair) => pair.right.roleMargin)),
    cases: comparisons.length,
    agreeing: agreeing.length,
    rmsDrift,
    rmsLogit,
    refusals: [
      ...comparisons.flatMap((comparison) => refusalOf(comparison, own)),
      ...driftRefusal(rmsDrift, rmsLogit),
      ...(pairs.length === 0 ? ['no case was routed by both profiles'] : []),
    ],
  };
}

function refusalOf(
  comparison: CaseComparison,
  own: { readonly agent: number; readonly role: number },
): string[] {
  const { id, left, right, kind, broken } = comparison;
  if (left === null || right === null) return [`${id}: not routed by both profiles`];
  if (kind === 'mismatch')
    return [`${id}: another ${broken === 'transcript' ? 'transcript' : 'token count'}`];
  if (comparison.drift === null) return [`${id}: another number of logits`];
  const flips: string[] = [];
  if (left.agentId !== right.agentId && left.agentMargin > own.agent) {
    flips.push(
      `${id}: slot ${left.agentId} became ${right.agentId} at a margin of ${left.agentMargin.toFixed(4)}`,
    );
  }
  if (left.roleId !== right.roleId && left.roleMargin > own.role) {
    flips.push(
      `${id}: role ${left.roleId} became ${right.roleId} at a margin of ${left.roleMargin.toFixed(4)}`,
    );
  }
  return flips;
}

function driftRefusal(rmsDrift: number, rmsLogit: number): string[] {
  if (rmsDrift <= maxRelativeDrift * rmsLogit) return [];
  const percent = rmsLogit === 0 ? '∞' : ((rmsDrift / rmsLogit) * 100).toFixed(1);
  return [`logits drift by ${percent} % of their root mean square; 10 % are allowed`];
}

function smallest(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => Math.min(a, b));
}

function rootMeanSquare(values: readonly number[]): number {
  if (values.length === 0) return 0;
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}
