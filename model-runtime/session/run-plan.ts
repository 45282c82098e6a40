/** Tokens run at most in one call, where a profile does not ask for fewer: cancel and progress are looked at between calls. */
export const chunkTokens = 128;

/** Calls that bring a transcript's state up to `needed` tokens. */
export interface RunPlan {
  /** Tokens taken from the cache: an even number, at most what it offered. */
  readonly reused: number;
  /** Lengths of the calls, in order; they sum to `needed - reused`. */
  readonly chunks: readonly number[];
}

/**
 * Plans the calls for a transcript of which `needed` tokens must be run and `cached` are known, so that the
 * result does not depend on how many were known.
 *
 * ONNX Runtime's kernels give a row of a product other last bits when it stands alone: in a call of one
 * token, in one whose length is 1 more than a multiple of the rows its kernel takes at once (64 with AVX2,
 * 32 with AVX-512), and, with 8-bit weights, as the last of an odd number. So every call starts at an even token
 * and none has a length of 1 mod 32; only the last one may be odd, and then it is so from whichever token it
 * starts. What the cache knows is reused up to an even token: the last of an odd run stood alone.
 *
 * The last needed token is always run, because its output is what is wanted. A transcript with one needed
 * token is the only exception: it has one call of length 1 and reuses nothing.
 *
 * @param needed 1 or more
 * @param cached tokens of the same transcript's start that the cache holds, 0 or more
 * @param longest tokens of one call at most, 6 or more
 */
export function planRun(needed: number, cached: number, longest: number = chunkTokens): RunPlan {
  if (needed < 1) throw new RangeError(`a run needs at least one token, not ${needed}`);
  if (needed === 1) return { reused: 0, chunks: [1] };
  const usable = Math.max(0, Math.min(cached, needed - 2));
  const reused = usable - (usable % 2);
  return { reused, chunks: chunksOf(needed - reused, longest) };
}

function chunksOf(tokens: number, longest: number): number[] {
  const chunks: number[] = [];
  let left = tokens;
  while (left > 0) {
    const length = nextLength(left, longest);
    chunks.push(length);
    left -= length;
  }
  return chunks;
}

/** An even length that leaves a good one behind, or all that is left. */
function nextLength(left: number, longest: number): number {
  if (left <= longest) return leavesLoneRow(left) ? left - 3 : left;
  const even = longest - (longest % 2);
  const rest = left - even;
  return rest <= longest && leavesLoneRow(rest) ? even - 2 : even;
}

function leavesLoneRow(length: number): boolean {
  return length % 32 === 1;
}
