/**
 * Normal-like numbers, the same on every machine: sums of uniform ones, because sine and logarithm may differ
 * in their last bit between systems. Mean 0, variance 1, within 3.5.
 *
 * @param seed any 32-bit number
 */
export function demoRandom(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  // Four uniform numbers have variance 1/3 together.
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * 1.7320508075688772;
}
