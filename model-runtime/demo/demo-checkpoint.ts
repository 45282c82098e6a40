import type { TensorSource } from '../weights/safetensors-writer.ts';
import { f32ToBf16 } from '../weights/bf16.ts';
import { bytesOf } from '../weights/safetensors-writer.ts';
import type { RouterTokenizer } from '../session/tokenizer.ts';
import { demoRandom } from './demo-random.ts';
import { lexiconIds, markers, topics } from './lexicon.ts';

/** Shape of the demo's checkpoint: Qwen3 in small, with Qwen3's own vocabulary. */
export const demoShape = {
  hidden: 64,
  layers: 4,
  queryHeads: 8,
  keyValueHeads: 4,
  headDim: 16,
  feedForward: 128,
  vocabulary: 151_936,
} as const;

/** The checkpoint's `config.json`. */
export const demoConfig = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  hidden_act: 'silu',
  attention_bias: false,
  use_sliding_window: false,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
  hidden_size: demoShape.hidden,
  num_hidden_layers: demoShape.layers,
  num_attention_heads: demoShape.queryHeads,
  num_key_value_heads: demoShape.keyValueHeads,
  head_dim: demoShape.headDim,
  intermediate_size: demoShape.feedForward,
  vocab_size: demoShape.vocabulary,
  max_position_embeddings: 40_960,
  rms_norm_eps: 1e-6,
  rope_theta: 1_000_000,
} as const;

/** Places in the residual stream. Random weights write only from `free` on. */
const constant = 0;
const markerIn = 1;
const topicIn = markerIn + markers.length;
const recentOut = topicIn + topics.length;
const shareOut = recentOut + markers.length;
const topicOut = shareOut + markers.length;
const free = topicOut + topics.length;

/** Places within a head. Pairs (i, i + 8) turn with position, by 1e6^(-i/8) a token: 7 hardly, 5 slowly. */
const still = 7;
const stillPartner = 15;
const slow = 5;
const slowPartner = 13;
/** Scale of q and k in the first layer: makes its planted heads choose sharply. */
const sharpness = 32;

/**
 * Tensors of a small checkpoint that is random but for three attention heads of its first layer. They find
 * which role spoke last, how the turns so far are shared between the roles, and which topic's words stand
 * nearest before the end; without them a head on random features would route by noise.
 *
 * Deterministic: the same bytes everywhere.
 */
export function demoCheckpoint(tokenizer: RouterTokenizer): TensorSource[] {
  const { layers } = demoShape;
  return [
    embedding(tokenizer),
    ...Array.from({ length: layers }, (_, layer) => decoderLayer(layer)).flat(),
    bf16('model.norm.weight', [demoShape.hidden], finalNorm()),
  ];
}

function embedding(tokenizer: RouterTokenizer): TensorSource {
  const { hidden, vocabulary } = demoShape;
  const next = demoRandom(1);
  const values = new Float32Array(vocabulary * hidden);
  for (let row = 0; row < vocabulary; row += 1) {
    const start = row * hidden;
    values[start + constant] = 1;
    for (let column = free; column < hidden; column += 1) values[start + column] = next() * 0.3;
  }
  const ids = lexiconIds(tokenizer);
  const plant = (groups: readonly (readonly number[])[], first: number): void =>
    groups.forEach((group, index) => {
      for (const id of group) values[id * hidden + first + index] = 4;
    });
  plant(ids.markers, markerIn);
  plant(ids.topics, topicIn);
  return bf16('model.embed_tokens.weight', [vocabulary, hidden], values);
}

function decoderLayer(layer: number): TensorSource[] {
  const { hidden, feedForward, queryHeads, keyValueHeads, headDim } = demoShape;
  const next = demoRandom(100 + layer);
  const name = (part: string): string => `model.layers.${layer}.${part}.weight`;
  const query = randomMatrix(next, queryHeads * headDim, hidden);
  const key = randomMatrix(next, keyValueHeads * headDim, hidden);
  const value = randomMatrix(next, keyValueHeads * headDim, hidden);
  const output = randomMatrix(next, hidden, queryHeads * headDim, free);
  if (layer === 0) plantHeads({ query, key, value, output });
  const ones = new Float32Array(hidden).fill(1);
  const headNorm = new Float32Array(headDim).fill(layer === 0 ? sharpness : 1);
  return [
    bf16(name('input_layernorm'), [hidden], ones),
    query.as(name('self_attn.q_proj')),
    key.as(name('self_attn.k_proj')),
    value.as(name('self_attn.v_proj')),
    output.as(name('self_attn.o_proj')),
    bf16(name('self_attn.q_norm'), [headDim], headNorm),
    bf16(name('self_attn.k_norm'), [headDim], headNorm),
    bf16(name('post_attention_layernorm'), [hidden], ones),
    randomMatrix(next, feedForward, hidden).as(name('mlp.gate_proj')),
    randomMatrix(next, feedForward, hidden).as(name('mlp.up_proj')),
    randomMatrix(next, hidden, feedForward, free).as(name('mlp.down_proj')),
  ];
}

interface Attention {
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly output: Matrix;
}

/**
 * Query heads 0 and 1 read the markers through key-value head 0, query head 2 the topics through head 1.
 * A key of a marker or topic word points along `still` and `slow`, every other key aside. A query along
 * `still` finds such words; along `slow`'s partner it prefers near ones, as -sin of the distance.
 */
function plantHeads({ query, key, value, output }: Attention): void {
  const { headDim } = demoShape;
  for (const [head, first, count] of [
    [0, markerIn, markers.length],
    [1, topicIn, topics.length],
  ] as const) {
    const start = head * headDim;
    key.clearRows(start, headDim);
    value.clearRows(start, headDim);
    for (let kind = 0; kind < count; kind += 1) {
      key.set(start + still, first + kind, 4);
      key.set(start + slow, first + kind, 4);
      value.set(start + kind, first + kind, 1);
    }
    key.set(start + stillPartner, constant, 0.5);
  }
  const heads = [
    { nearness: 1, out: recentOut, count: markers.length },
    { nearness: 0, out: shareOut, count: markers.length },
    { nearness: 0.05, out: topicOut, count: topics.length },
  ];
  heads.forEach(({ nearness, out, count }, head) => {
    const start = head * headDim;
    query.clearRows(start, headDim);
    query.set(start + still, constant, 1);
    query.set(start + slowPartner, constant, nearness);
    output.clearColumns(start, headDim);
    for (let kind = 0; kind < count; kind += 1) output.set(out + kind, start + kind, 0.5);
  });
}

/** What the head reads is loud, the random rest quiet: it must not learn the noise of few transcripts. */
function finalNorm(): Float32Array {
  const { hidden } = demoShape;
  return Float32Array.from({ length: hidden }, (_, place) => {
    if (place === constant) return 1;
    return place >= recentOut && place < free ? 1 : 0.0625;
  });
}

/** A matrix [rows, columns] under construction. */
class Matrix {
  readonly #rows: number;
  readonly #columns: number;
  readonly #values: Float32Array<ArrayBuffer>;

  constructor(rows: number, columns: number, values: Float32Array<ArrayBuffer>) {
    this.#rows = rows;
    this.#columns = columns;
    this.#values = values;
  }

  set(row: number, column: number, value: number): void {
    this.#values[row * this.#columns + column] = value;
  }

  clearRows(first: number, count: number): void {
    this.#values.fill(0, first * this.#columns, (first + count) * this.#columns);
  }

  clearColumns(first: number, count: number): void {
    for (let row = 0; row < this.#rows; row += 1) {
      const start = row * this.#columns + first;
      this.#values.fill(0, start, start + count);
    }
  }

  as(name: string): TensorSource {
    return bf16(name, [this.#rows, this.#columns], this.#values);
  }
}

function randomMatrix(next: () => number, rows: number, columns: number, firstRow = 0): Matrix {
  const scale = 0.5 / Math.sqrt(columns);
  const values = Float32Array.from({ length: rows * columns }, () => next() * scale);
  values.fill(0, 0, firstRow * columns);
  return new Matrix(rows, columns, values);
}

function bf16(name: string, shape: readonly number[], values: Float32Array): TensorSource {
  return { name, dtype: 'BF16', shape, data: bytesOf(f32ToBf16(values)) };
}
