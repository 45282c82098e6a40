import { barLengths, softmax } from '../../contracts/logits.ts';

/** One bar of a logit chart. */
export interface Bar {
  readonly index: number;
  readonly logit: number;
  readonly probability: number;
  /** Fraction of the chart's width, from its left edge. */
  readonly length: number;
}

/**
 * Bars of raw logits from a common base, the same ones that the terminal draws: the largest logit has the
 * longest bar, whatever their signs.
 *
 * @param probabilities what the coordinator computed; null: softmax at temperature 1
 */
export function logitBars(
  logits: readonly number[],
  probabilities: readonly number[] | null = null,
): Bar[] {
  const lengths = barLengths(logits);
  const shares = probabilities ?? softmax(logits);
  return logits.map((logit, index) => ({
    index,
    logit,
    probability: shares[index] ?? 0,
    length: lengths[index] ?? 0,
  }));
}
