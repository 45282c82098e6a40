import type { EvalCaseResult } from '../../contracts/evals.ts';

export interface TagAccuracy {
  readonly tag: string;
  readonly asserted: number;
  readonly right: number;
}

/** Counts by expected (rows) and chosen (columns) id; a case with several acceptable ids counts in each row. */
export type ConfusionMatrix = Readonly<Record<number, Readonly<Record<number, number>>>>;

/** What of a case is analysed. */
export interface AnalysedCase {
  readonly agentId: number;
  readonly roleId: number;
  readonly agentMargin: number | null;
  readonly roleMargin: number | null;
  readonly expected: EvalCaseResult['expected'];
  readonly tags: readonly string[];
}

export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Accuracy of the cases whose margin is at least `margin`, and the share of cases that are. */
export interface AccuracyPoint {
  readonly margin: number;
  readonly accuracy: number;
  readonly coverage: number;
}

export interface EvalAnalysis {
  readonly tags: readonly TagAccuracy[];
  readonly agentConfusion: ConfusionMatrix;
  readonly roleConfusion: ConfusionMatrix;
  readonly agentMargins: readonly HistogramBin[];
  readonly roleMargins: readonly HistogramBin[];
  readonly agentAccuracyByMargin: readonly AccuracyPoint[];
  readonly roleAccuracyByMargin: readonly AccuracyPoint[];
}

const maxCurvePoints = 200;

/** Collects results; keeps a few numbers a case and no text. */
export class AnalysisFold {
  readonly #tags = new Map<string, { asserted: number; right: number }>();
  readonly #agents: Counts = {};
  readonly #roles: Counts = {};
  readonly #agentMargins: number[] = [];
  readonly #roleMargins: number[] = [];
  readonly #agentJudged: { margin: number; isRight: boolean }[] = [];
  readonly #roleJudged: { margin: number; isRight: boolean }[] = [];

  add(result: AnalysedCase): void {
    const { agentIds, roleIds } = result.expected;
    const agentRight = agentIds?.includes(result.agentId);
    const roleRight = roleIds?.includes(result.roleId);
    this.#agentMargins.push(result.agentMargin ?? 0);
    this.#roleMargins.push(result.roleMargin ?? 0);
    for (const expected of agentIds ?? []) count(this.#agents, expected, result.agentId);
    for (const expected of roleIds ?? []) count(this.#roles, expected, result.roleId);
    if (agentRight !== undefined) {
      this.#agentJudged.push({ margin: result.agentMargin ?? 0, isRight: agentRight });
    }
    if (roleRight !== undefined) {
      this.#roleJudged.push({ margin: result.roleMargin ?? 0, isRight: roleRight });
    }
    if (agentRight === undefined && roleRight === undefined) return;
    for (const tag of new Set(result.tags)) {
      const known = this.#tags.get(tag) ?? { asserted: 0, right: 0 };
      const isRight = (agentRight ?? true) && (roleRight ?? true);
      this.#tags.set(tag, {
        asserted: known.asserted + 1,
        right: known.right + Number(isRight),
      });
    }
  }

  result(): EvalAnalysis {
    return {
      tags: [...this.#tags.entries()]
        .map(([tag, counts]) => ({ tag, ...counts }))
        .sort((a, b) => (a.tag < b.tag ? -1 : 1)),
      agentConfusion: this.#agents,
      roleConfusion: this.#roles,
      agentMargins: histogram(this.#agentMargins),
      roleMargins: histogram(this.#roleMargins),
      agentAccuracyByMargin: accuracyByMargin(this.#agentJudged),
      roleAccuracyByMargin: accuracyByMargin(this.#roleJudged),
    };
  }
}

type Counts = Record<number, Record<number, number>>;

/** Adds one to a cell. */
export function count(matrix: Counts, row: number, column: number): void {
  const cells = (matrix[row] ??= {});
  cells[column] = (cells[column] ?? 0) + 1;
}

/**
 * Equal-width bins from 0 to the largest value, as many as Sturges' rule says; the last bin includes its
 * upper edge.
 */
export function histogram(values: readonly number[]): HistogramBin[] {
  if (values.length === 0) return [];
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  if (largest === 0) return [{ from: 0, to: 0, count: values.length }];
  const bins = Math.ceil(Math.log2(values.length)) + 1;
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) {
    const bin = Math.min(bins - 1, Math.floor((Math.max(0, value) / largest) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((binCount, index) => ({
    from: (index / bins) * largest,
    to: ((index + 1) / bins) * largest,
    count: binCount,
  }));
}

/**
 * Accuracy against margin: for each distinct margin m, from large to small, the accuracy of the cases
 * with a margin of at least m. Thinned to at most 200 points, first and last kept.
 */
export function accuracyByMargin(
  judged: readonly { readonly margin: number; readonly isRight: boolean }[],
): AccuracyPoint[] {
  const sorted = [...judged].sort((a, b) => b.margin - a.margin);
  const points: AccuracyPoint[] = [];
  let right = 0;
  sorted.forEach(({ margin, isRight }, index) => {
    right += Number(isRight);
    if (sorted[index + 1]?.margin === margin) return;
    points.push({
      margin,
      accuracy: right / (index + 1),
      coverage: (index + 1) / sorted.length,
    });
  });
  if (points.length <= maxCurvePoints) return points;
  const step = (points.length - 1) / (maxCurvePoints - 1);
  return Array.from({ length: maxCurvePoints }, (_, index) => points[Math.round(index * step)]!);
}
