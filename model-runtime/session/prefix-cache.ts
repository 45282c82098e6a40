/** Keys and values of one decoder layer, [kvHeads, tokens, headDim] each, f32. */
export interface LayerState {
  readonly key: Float32Array;
  readonly value: Float32Array;
}

/** Attention state of a sequence of tokens that has been run. */
export interface PrefixState {
  readonly ids: readonly number[];
  readonly layers: readonly LayerState[];
}

/** The default bound: about 2,300 tokens of Qwen3-0.6B in f32, at 224 KB a token. */
export const defaultPrefixCacheBytes = 512 * 1024 * 1024;

/**
 * States of transcripts by key (conversation + branch), the least recently used dropped first when their
 * bytes exceed the bound. A state larger than the bound is not kept at all.
 */
export class PrefixCache {
  readonly #limitBytes: number;
  readonly #states = new Map<string, PrefixState>();
  #bytes = 0;

  constructor(limitBytes: number = defaultPrefixCacheBytes) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The state kept under a key, which becomes the most recently used; undefined when there is none. */
  get(key: string): PrefixState | undefined {
    const state = this.#states.get(key);
    if (state !== undefined) {
      this.#states.delete(key);
      this.#states.set(key, state);
    }
    return state;
  }

  /** Keeps a state under a key in place of what was there. */
  set(key: string, state: PrefixState): void {
    this.delete(key);
    const bytes = stateBytes(state);
    if (bytes > this.#limitBytes) return;
    this.#states.set(key, state);
    this.#bytes += bytes;
    for (const oldest of this.#states.keys()) {
      if (this.#bytes <= this.#limitBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const state = this.#states.get(key);
    if (state === undefined) return;
    this.#states.delete(key);
    this.#bytes -= stateBytes(state);
  }

  clear(): void {
    this.#states.clear();
    this.#bytes = 0;
  }
}

/** Number of ids that two sequences share from their start. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const end = Math.min(a.length, b.length);
  let length = 0;
  while (length < end && a[length] === b[length]) length += 1;
  return length;
}

/**
 * The first `tokens` tokens of a state: the state itself when it has no more, else a copy.
 *
 * @param kvHeads number of key-value heads, the outermost dimension of each layer's arrays
 */
export function truncatedState(state: PrefixState, kvHeads: number, tokens: number): PrefixState {
  const length = state.ids.length;
  if (tokens >= length) return state;
  return {
    ids: state.ids.slice(0, tokens),
    layers: state.layers.map((layer) => ({
      key: truncatedRows(layer.key, kvHeads, length, tokens),
      value: truncatedRows(layer.value, kvHeads, length, tokens),
    })),
  };
}

/** Rows of one head lie together, so each head gives its first `tokens` rows. */
function truncatedRows(
  rows: Float32Array,
  kvHeads: number,
  length: number,
  tokens: number,
): Float32Array {
  const headDim = rows.length / kvHeads / length;
  const result = new Float32Array(kvHeads * tokens * headDim);
  for (let head = 0; head < kvHeads; head += 1) {
    const start = head * length * headDim;
    result.set(rows.subarray(start, start + tokens * headDim), head * tokens * headDim);
  }
  return result;
}

function stateBytes(state: PrefixState): number {
  return state.layers.reduce(
    (sum, layer) => sum + layer.key.byteLength + layer.value.byteLength,
    0,
  );
}
