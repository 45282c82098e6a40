/**
 * Pure, total functions over logits. Every function accepts any array, the empty one included, and
 * never throws on numbers; NaN is treated as minus infinity, so that it can never win.
 */

const rank = (value: number): number => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value);

/** Index of the largest value; ties go to the lowest index; -1 for an empty array. */
export function argmax(values: readonly number[]): number {
  let best = -1;
  let bestValue = Number.NEGATIVE_INFINITY;
  values.forEach((value, index) => {
    if (best === -1 || rank(value) > bestValue) {
      best = index;
      bestValue = rank(value);
    }
  });
  return best;
}

/** Largest minus second largest logit (not probability). One value gives 0, none gives null. */
export function margin(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  if (values.length === 1) return 0;
  const [first, second] = values.map(rank).sort((a, b) => b - a) as [number, number];
  return first === second ? 0 : first - second;
}

/**
 * softmax(z / T), shifted by the maximum so that it never overflows.
 *
 * @param temperature greater than 0; the caller validates it
 * @returns probabilities summing to 1, or a uniform vector when no value is finite
 */
export function softmax(values: readonly number[], temperature = 1): number[] {
  const scaled = values.map((value) => rank(value) / temperature);
  const top = Math.max(...scaled);
  if (values.length === 0) return [];
  if (top === Number.NEGATIVE_INFINITY) return values.map(() => 1 / values.length);
  const weights = scaled.map((value) => (value === top ? 1 : Math.exp(value - top)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Nats that bars span at least: a logit this far below the largest has a fiftieth of its share. */
const barSpan = 4;

/**
 * How long the bar of each logit is, 0 to 1: the largest is full, the smallest has none. Only differences
 * between logits decide anything, and softmax does not see where zero is, so a bar from zero would make
 * the winner of all-negative logits the shortest. Logits that lie close together have nearly equal bars:
 * stretched over the whole length, a margin of nothing would look like a lead.
 *
 * @returns one length a logit; 0 for what is not finite
 */
export function barLengths(values: readonly number[]): number[] {
  const finite = values.filter(Number.isFinite);
  const high = Math.max(...finite);
  const span = Math.max(barSpan, high - Math.min(...finite));
  return values.map((value) => (Number.isFinite(value) ? 1 - (high - value) / span : 0));
}
