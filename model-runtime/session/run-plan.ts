/** Tokens run at most in one call: cancel and progress are looked at between calls. */
export const chunkTokens = 128;

/** Calls that bring a transcript's state up to `needed` tokens. */
export interface RunPlan {
  /** Tokens taken from the cache: at most what it offered. */
  readonly reused: number;
  /** Lengths of the calls, in order, each 2 to 128; they sum to `needed - reused`. */
  readonly chunks: readonly number[];
}

/**
 * Plans the calls for a transcript of which `needed` tokens must be run and `cached` are known.
 *
 * ONNX Runtime's kernels give other last bits for a call of one token and for 1 mod 64 tokens (65, 129, ...),
 * so no call has such a length: one cached token is fed again, or a call is split. Results are then equal to
 * the bit with and without reuse. The last needed token is always run, because its output is what is wanted.
 * A transcript with one needed token is the only exception: it has one call of length 1 and reuses nothing.
 *
 * @param needed 1 or more
 * @param cached tokens of the same transcript's start that the cache holds, 0 or more
 */
export function planRun(needed: number, cached: number): RunPlan {
  if (needed < 1) throw new RangeError(`a run needs at least one token, not ${needed}`);
  if (needed === 1) return { reused: 0, chunks: [1] };
  const reused = Math.max(0, Math.min(cached, needed - 2));
  return { reused, chunks: chunksOf(needed - reused) };
}

function chunksOf(tokens: number): number[] {
  const chunks: number[] = [];
  let left = tokens;
  while (left > 0) {
    const length = nextLength(left);
    chunks.push(length);
    left -= length;
  }
  return chunks;
}

/** The longest allowed call that does not leave a single token behind. */
function nextLength(left: number): number {
  if (left === 65) return 63;
  if (left <= chunkTokens) return left;
  return left === chunkTokens + 1 ? chunkTokens - 2 : chunkTokens;
}
