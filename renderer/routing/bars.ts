import { softmax } from '../../contracts/logits.ts';

/** One bar of a logit chart. Positions are fractions of the chart's width. */
export interface Bar {
  readonly index: number;
  readonly logit: number;
  readonly probability: number;
  readonly start: number;
  readonly length: number;
  readonly isNegative: boolean;
}

export interface BarChart {
  readonly bars: readonly Bar[];
  /** Where zero stands. */
  readonly zero: number;
}

/**
 * Bars of raw logits on one axis that always contains zero, so that a length is comparable and a sign is
 * seen. A value that is not finite has no length.
 *
 * @param probabilities what the coordinator computed; null: softmax at temperature 1
 */
export function barChart(
  logits: readonly number[],
  probabilities: readonly number[] | null = null,
): BarChart {
  const finite = logits.filter(Number.isFinite);
  const low = Math.min(0, ...finite);
  const high = Math.max(0, ...finite);
  const span = high - low || 1;
  const zero = -low / span;
  const shares = probabilities ?? softmax(logits);
  const bars = logits.map((logit, index) => {
    const end = Number.isFinite(logit) ? (logit - low) / span : zero;
    return {
      index,
      logit,
      probability: shares[index] ?? 0,
      start: Math.min(zero, end),
      length: Math.abs(end - zero),
      isNegative: logit < 0,
    };
  });
  return { bars, zero };
}
