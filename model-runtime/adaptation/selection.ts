import type { TensorEntry } from '../weights/safetensors-header.ts';
import { AdaptationError } from './adaptation-error.ts';
import { rankOf, type MatrixDtype } from './matrix.ts';

export const embeddingName = 'model.embed_tokens.weight';
export const lmHeadName = 'lm_head.weight';

/** A tensor that the vector scales. */
export interface SelectedTensor {
  /** Checkpoint name. */
  readonly name: string;
  readonly part: 'embedding' | 'layer' | 'lm_head';
  /** Name of the tensor in the file that holds its values: the embedding's for a language head that is tied and not stored. */
  readonly storedAs: string;
  readonly rows: number;
  readonly columns: number;
  readonly dtype: MatrixDtype;
  /** Half-open span of offsets, one per singular value. */
  readonly offsets: readonly [start: number, end: number];
}

/**
 * Chooses the tensors to adapt by the rule of the original: every matrix (rank 2, both sizes above 1) that
 * is outside the decoder blocks or in one of the listed layers; then puts them in its order (embedding; per
 * layer q k v o gate up down; language head) and gives each its span, min(rows, columns) offsets.
 *
 * @param tensors header of the base's model.safetensors
 * @param layers  decoder layers that take part; [26] for the published router
 * @param isTied  whether config.json ties the language head to the embedding: it then takes part even if
 *   the file does not store it
 * @throws AdaptationError `missing_tensor` (no embedding, no language head, a layer
 *   without matrices), `wrong_shape` (a higher rank), `wrong_dtype` (neither BF16 nor F32)
 *
 * Source: TRINITY's selection (`decomposable` and its layer filter).
 */
export function selectTensors(
  tensors: ReadonlyMap<string, TensorEntry>,
  layers: readonly number[],
  isTied: boolean,
): readonly SelectedTensor[] {
  const candidates = [...tensors.values()].filter(
    (entry) =>
      isMatrixLike(entry) &&
      (layerOf(entry.name) === null || layers.includes(layerOf(entry.name)!)),
  );
  const chosen = candidates.map((entry) => ({ entry, name: entry.name }));
  const embedding = tensors.get(embeddingName);
  if (embedding === undefined) throw missing(embeddingName);
  if (!tensors.has(lmHeadName)) {
    if (!isTied) throw missing(lmHeadName);
    chosen.push({ entry: embedding, name: lmHeadName });
  }
  for (const layer of layers) {
    if (!chosen.some(({ name }) => layerOf(name) === layer)) throw missingLayer(layer, tensors);
  }
  chosen.sort((a, b) => compareKeys(orderKey(a.name), orderKey(b.name)));
  let next = 0;
  return chosen.map(({ entry, name }) => {
    const matrix = asMatrix(entry);
    const start = next;
    next += rankOf(matrix);
    return { ...matrix, name, part: partOf(name), storedAs: entry.name, offsets: [start, next] };
  });
}

/** Offsets that a selection consumes. */
export function offsetCount(selection: readonly SelectedTensor[]): number {
  return selection.at(-1)?.offsets[1] ?? 0;
}

function isMatrixLike({ shape }: TensorEntry): boolean {
  return shape.length > 1 && shape.every((size) => size > 1);
}

/** Decoder layer of a tensor, or null outside the blocks. */
function layerOf(name: string): number | null {
  const found = /^model\.layers\.(\d+)\./.exec(name);
  return found ? Number(found[1]) : null;
}

function partOf(name: string): SelectedTensor['part'] {
  if (name === embeddingName) return 'embedding';
  if (name === lmHeadName) return 'lm_head';
  if (layerOf(name) !== null) return 'layer';
  throw new AdaptationError(
    'span_mismatch',
    `The base has a matrix ${name} outside the decoder blocks that a Qwen3 model does not have; ` +
      'the spans of the vector cannot be known.',
  );
}

const inLayer = [
  'self_attn.q_proj',
  'self_attn.k_proj',
  'self_attn.v_proj',
  'self_attn.o_proj',
  'mlp.gate_proj',
  'mlp.up_proj',
  'mlp.down_proj',
];

function orderKey(name: string): readonly [number, number, number, string] {
  if (name === embeddingName) return [0, 0, 0, name];
  if (name === lmHeadName) return [2, 0, 0, name];
  const layer = layerOf(name);
  if (layer === null) return [3, 0, 0, name];
  const place = inLayer.findIndex((part) => name.endsWith(`.${part}.weight`));
  return [1, layer, place < 0 ? inLayer.length : place, name];
}

function compareKeys(a: ReturnType<typeof orderKey>, b: ReturnType<typeof orderKey>): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (a[3] < b[3] ? -1 : 1);
}

function asMatrix(entry: TensorEntry): { rows: number; columns: number; dtype: MatrixDtype } {
  const [rows, columns, ...more] = entry.shape;
  if (rows === undefined || columns === undefined || more.length > 0) {
    throw new AdaptationError(
      'wrong_shape',
      `${entry.name} has the shape [${entry.shape.join()}]: only matrices can be adapted.`,
    );
  }
  if (entry.dtype !== 'BF16' && entry.dtype !== 'F32') {
    throw new AdaptationError(
      'wrong_dtype',
      `${entry.name} is ${entry.dtype}; weights to adapt are BF16 or F32.`,
    );
  }
  return { rows, columns, dtype: entry.dtype };
}

function missingLayer(layer: number, tensors: ReadonlyMap<string, TensorEntry>): AdaptationError {
  const count = 1 + Math.max(-1, ...[...tensors.keys()].map((name) => layerOf(name) ?? -1));
  if (layer < count) return missing(`model.layers.${layer}.*`);
  return new AdaptationError(
    'missing_tensor',
    `The base has no layer ${layer}: it has ${count} layers${count > 0 ? `, 0 to ${count - 1}` : ''}.`,
  );
}

function missing(name: string): AdaptationError {
  return new AdaptationError(
    'missing_tensor',
    `The base has no tensor ${name}. Is it a Qwen3 model?`,
  );
}
