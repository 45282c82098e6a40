import { createHash } from 'node:crypto';

/**
 * Repetitions of a long test, scaled by the lane's `--scale`, at least one.
 *
 * @param full repetitions at scale 1
 */
export function scaled(full: number): number {
  const scale = Number(process.env['TRINITY_LONG_SCALE'] ?? '1');
  return Math.max(1, Math.round(full * (Number.isFinite(scale) && scale > 0 ? scale : 1)));
}

/** The lane's seed, printed when the lane starts. */
export function longSeed(): number {
  return Number(process.env['TRINITY_LONG_SEED'] ?? '1');
}

/** Uniform numbers in [0, 1) that a seed repeats, the same on every machine. */
export function seededUniform(seed: number): () => number {
  let drawn = 0;
  return () => {
    drawn += 1;
    const digest = createHash('sha256').update(`${seed}:${drawn}`).digest();
    return digest.readUInt32LE(0) / 2 ** 32;
  };
}
