import type { ComparableCase, ResultSource } from './result-source.ts';

/** What must hold between two evaluations of the same suite, in the order in which it is checked. */
export const invariants = [
  'case',
  'transcript',
  'token_count',
  'logit_count',
  'agent',
  'role',
] as const;
export type Invariant = (typeof invariants)[number];

/** What each invariant is called. */
export const invariantWords: Readonly<Record<Invariant, string>> = {
  case: 'case',
  transcript: 'transcript',
  token_count: 'number of tokens',
  logit_count: 'number of logits',
  agent: 'slot',
  role: 'role',
};

export interface CaseComparison {
  readonly id: string;
  readonly kind: 'same' | 'flipped' | 'mismatch' | 'missing_left' | 'missing_right';
  /** The first invariant that broke; null when only logits differ, or nothing. */
  readonly broken: Invariant | null;
  readonly left: ComparableCase | null;
  readonly right: ComparableCase | null;
  /** Right minus left. */
  readonly agentMarginChange: number | null;
  readonly roleMarginChange: number | null;
  readonly drift: { readonly max: number; readonly rms: number } | null;
}

export interface Comparison {
  /**
   * `identical`: every logit equal, to the decimals that both sides have. `stable`: the same decisions,
   * logits differ. `broken`: an invariant does not hold.
   */
  readonly verdict: 'identical' | 'stable' | 'broken';
  /** The first broken invariant over all cases, in the order of `invariants`, and its first case. */
  readonly firstBroken: { readonly invariant: Invariant; readonly caseId: string } | null;
  readonly compared: number;
  readonly same: number;
  readonly flipped: number;
  readonly mismatched: number;
  readonly missingLeft: number;
  readonly missingRight: number;
  readonly maxDrift: number;
  /** Root mean square over all compared logits. */
  readonly rmsDrift: number;
  /** Root mean square of the left side's logits: what drift is relative to. */
  readonly rmsLogit: number;
}

/** Compares case by case, in the left side's order, then what only the right side has. */
export async function* compareCases(
  left: ResultSource,
  right: ResultSource,
): AsyncGenerator<CaseComparison> {
  const decimals = [left.decimals, right.decimals].filter((value) => value !== null);
  const rounding = decimals.length === 0 ? null : Math.min(...decimals);
  for (const id of left.ids()) {
    yield compareCase(id, await left.get(id), await right.get(id), rounding);
  }
  for (const id of right.ids()) {
    if (!left.has(id)) yield compareCase(id, null, await right.get(id), rounding);
  }
}

/**
 * Compares one case. Logits are compared after rounding to `decimals`, because a snapshot holds no more.
 */
export function compareCase(
  id: string,
  left: ComparableCase | null,
  right: ComparableCase | null,
  decimals: number | null,
): CaseComparison {
  if (left === null || right === null) {
    return {
      id,
      kind: left === null ? 'missing_left' : 'missing_right',
      broken: 'case',
      left,
      right,
      agentMarginChange: null,
      roleMarginChange: null,
      drift: null,
    };
  }
  const broken = brokenInvariant(left, right);
  return {
    id,
    kind: kindOf(broken),
    broken,
    left,
    right,
    agentMarginChange: right.agentMargin - left.agentMargin,
    roleMarginChange: right.roleMargin - left.roleMargin,
    drift: driftOf(left, right, decimals),
  };
}

function brokenInvariant(left: ComparableCase, right: ComparableCase): Invariant | null {
  if (left.upstreamTranscriptHash !== right.upstreamTranscriptHash) return 'transcript';
  if (left.tokenCount !== right.tokenCount) return 'token_count';
  // Another head altogether: that the largest of each stands at the same place says nothing.
  if (left.agentLogits.length !== right.agentLogits.length) return 'logit_count';
  if (left.roleLogits.length !== right.roleLogits.length) return 'logit_count';
  if (left.agentId !== right.agentId) return 'agent';
  if (left.roleId !== right.roleId) return 'role';
  return null;
}

function kindOf(broken: Invariant | null): CaseComparison['kind'] {
  if (broken === null) return 'same';
  return broken === 'agent' || broken === 'role' ? 'flipped' : 'mismatch';
}

function driftOf(
  left: ComparableCase,
  right: ComparableCase,
  decimals: number | null,
): CaseComparison['drift'] {
  const a = [...left.agentLogits, ...left.roleLogits];
  const b = [...right.agentLogits, ...right.roleLogits];
  const isSameHead = left.agentLogits.length === right.agentLogits.length;
  if (!isSameHead || a.length !== b.length || a.length === 0) return null;
  const round = (value: number): number =>
    decimals === null ? value : Number(value.toFixed(decimals));
  const differences = a.map((value, index) => Math.abs(round(value) - round(b[index] ?? 0)));
  const squares = differences.reduce((sum, difference) => sum + difference * difference, 0);
  return { max: Math.max(...differences), rms: Math.sqrt(squares / differences.length) };
}

/** Folds case comparisons into the verdict over the whole. */
export class ComparisonFold {
  readonly #counts: Record<CaseComparison['kind'], number> = {
    same: 0,
    flipped: 0,
    mismatch: 0,
    missing_left: 0,
    missing_right: 0,
  };
  #firstBroken: Comparison['firstBroken'] = null;
  #maxDrift = 0;
  #driftSquares = 0;
  #logitSquares = 0;
  #logits = 0;
  #hasUncomparable = false;

  add(comparison: CaseComparison): void {
    this.#counts[comparison.kind] += 1;
    const { broken, drift, left } = comparison;
    if (broken !== null && this.#ranksBeforeFirst(broken)) {
      this.#firstBroken = { invariant: broken, caseId: comparison.id };
    }
    if (left === null || comparison.right === null) return;
    if (drift === null) {
      this.#hasUncomparable = true;
      return;
    }
    const logits = [...left.agentLogits, ...left.roleLogits];
    this.#maxDrift = Math.max(this.#maxDrift, drift.max);
    this.#driftSquares += drift.rms * drift.rms * logits.length;
    this.#logitSquares += logits.reduce((sum, logit) => sum + logit * logit, 0);
    this.#logits += logits.length;
  }

  result(): Comparison {
    const { same, flipped, mismatch, missing_left, missing_right } = this.#counts;
    const isIdentical = this.#maxDrift === 0 && !this.#hasUncomparable;
    return {
      verdict: this.#firstBroken !== null ? 'broken' : isIdentical ? 'identical' : 'stable',
      firstBroken: this.#firstBroken,
      compared: same + flipped + mismatch,
      same,
      flipped,
      mismatched: mismatch,
      missingLeft: missing_left,
      missingRight: missing_right,
      maxDrift: this.#maxDrift,
      rmsDrift: this.#logits === 0 ? 0 : Math.sqrt(this.#driftSquares / this.#logits),
      rmsLogit: this.#logits === 0 ? 0 : Math.sqrt(this.#logitSquares / this.#logits),
    };
  }

  #ranksBeforeFirst(broken: Invariant): boolean {
    return (
      this.#firstBroken === null ||
      invariants.indexOf(broken) < invariants.indexOf(this.#firstBroken.invariant)
    );
  }
}
