import { AdaptationError } from './adaptation-error.ts';

/** A sum this small against the sum of the singular values cannot be divided by. */
const smallestShare = 1e-6;

/**
 * Singular values from the eigenvalues of a Gram matrix: square roots, where the small negative ones that
 * rounding leaves in a singular matrix count as zero.
 */
export function singularValues(eigenvalues: Float64Array): Float64Array<ArrayBuffer> {
  return Float64Array.from(eigenvalues, (value) => Math.sqrt(Math.max(0, value)));
}

/**
 * The factor that keeps the sum of the singular values: c = sum(S) / sum(S f).
 *
 * @param values  S, [n]
 * @param factors f = 1 + d, [n]
 * @throws AdaptationError `vanishing_sum` when |sum(S f)| is below a millionth of sum(S), or S is zero
 */
export function normalisation(values: Float64Array, factors: Float64Array, name: string): number {
  let before = 0;
  let after = 0;
  for (let i = 0; i < values.length; i++) {
    before += values[i]!;
    after += values[i]! * factors[i]!;
  }
  if (!(Math.abs(after) > smallestShare * before)) {
    throw new AdaptationError(
      'vanishing_sum',
      `The scaled singular values of ${name} sum to ${after}, those of the base to ${before}: ` +
        'they cannot be normalised. The vector does not fit this base.',
    );
  }
  return before / after;
}

/** Factors 1 + d of offsets; of several spans, their product: applied one after the other in W's own order. */
export function scalingFactors(spans: readonly Float32Array[]): Float64Array<ArrayBuffer> {
  const factors = new Float64Array(spans[0]?.length ?? 0).fill(1);
  for (const offsets of spans) {
    for (let i = 0; i < factors.length; i++) factors[i] = factors[i]! * (1 + offsets[i]!);
  }
  return factors;
}
