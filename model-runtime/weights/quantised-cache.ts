import { canonicalJson } from '../../contracts/canonical-json.ts';
import {
  projectionNames,
  type Precision,
  type PrecisionMap,
  type ProjectionName,
} from '../../contracts/profiles.ts';
import type { FileOperations, WrittenFile } from './atomic-file.ts';
import { precisionOf, projectionTensor } from './precision.ts';
import { block8Count, block8Scales, block8Size, quantiseBlock8 } from './quantise-block8.ts';
import { int8Scales, quantiseInt8 } from './quantise-int8.ts';
import { block8Names, int8Names } from './quantised-names.ts';
import type { Qwen3Config } from './qwen3-config.ts';
import type { SafetensorsFile } from './safetensors-file.ts';
import { bytesOf, writeSafetensors, type TensorSource } from './safetensors-writer.ts';
import { fileFault } from './weights-error.ts';

/** Changes whenever equal weights would be quantised to other bytes. */
export const quantisationVersion = 1;

const copyRows = 8192;

export interface QuantisedCacheSpec {
  readonly config: Qwen3Config;
  /** Where tensors come from: the first file that has one gives it. */
  readonly weights: readonly SafetensorsFile[];
  readonly precision: PrecisionMap;
  /** Digest of those files' contents, kept in the cache's header: see `isQuantisedCacheOf`. */
  readonly sourceDigest: string;
  /** Called with the tensors done, of all tensors; two passes go over the quantised ones. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Stops between tensors; nothing is left behind. */
  readonly signal?: AbortSignal;
  readonly files?: FileOperations;
}

/**
 * Writes the cache file of a precision map: everything that the graph of this map reads from disk, so that
 * ONNX Runtime finds it in one folder. That is the quantised projections with their scales, projections that
 * stay f32 as they are stored, the norms and the embedding table. Adapted layer tensors are not in it:
 * the graph quantises them when it is built, so that all routers of one base share one cache.
 *
 * Atomic; equal inputs give equal bytes. Needs as much memory as one projection in f32 and all scales.
 *
 * @returns path, size and sha256
 * @throws WeightsError `non_finite` naming the tensor; what reading and writing throw; the signal's reason
 */
export async function writeQuantisedCache(
  path: string,
  spec: QuantisedCacheSpec,
): Promise<WrittenFile> {
  const matrices = projectionMatrices(spec);
  const quantised = matrices.filter(({ precision }) => precision !== 'f32');
  const kept = matrices.filter(({ precision }) => precision === 'f32').map(({ name }) => name);
  const copied = ['model.embed_tokens.weight', ...kept, ...normNames(spec.config)];
  const progress = progressOf(spec, copied.length + 2 * quantised.length);
  const scaled: { matrix: Matrix; scales: Float32Array<ArrayBuffer> }[] = [];
  for (const matrix of quantised) {
    scaled.push({ matrix, scales: await scalesOf(spec, matrix, path) });
    progress();
  }
  const tensors: TensorSource[] = [
    // Larger elements first: every tensor then lies at a multiple of its element's size.
    ...scaled.map(({ matrix, scales }) => scaleSource(matrix, scales)),
    ...copied.map((name) => copySource(fileOf(spec, name), name, progress)).sort(bySize),
    ...scaled.map(({ matrix, scales }) => weightSource(spec, matrix, scales, progress)),
  ];
  const metadata = cacheMetadata(spec.precision, spec.sourceDigest);
  return writeSafetensors(path, tensors, {
    metadata,
    headerAlignment: 64,
    ...(spec.files && { files: spec.files }),
  });
}

/** True when a cache file was made by this version, for this precision map, from these contents. */
export function isQuantisedCacheOf(
  file: SafetensorsFile,
  precision: PrecisionMap,
  sourceDigest: string,
): boolean {
  const expected = Object.entries(cacheMetadata(precision, sourceDigest));
  return expected.every(([key, value]) => file.metadata.get(key) === value);
}

function cacheMetadata(precision: PrecisionMap, sourceDigest: string): Record<string, string> {
  const { default: fallback, projections, exceptions } = precision;
  return {
    format: 'trinity-quantised',
    version: String(quantisationVersion),
    precision: canonicalJson({ default: fallback, projections, exceptions }),
    source: sourceDigest,
  };
}

interface Matrix {
  readonly name: string;
  readonly precision: Precision;
  readonly rows: number;
  readonly columns: number;
}

function projectionMatrices({ config, precision }: QuantisedCacheSpec): Matrix[] {
  return Array.from({ length: config.layers }, (_, layer) =>
    projectionNames.map((projection) => {
      const [rows, columns] = projectionShape(config, projection);
      const name = projectionTensor(layer, projection);
      return { name, precision: precisionOf(precision, layer, projection), rows, columns };
    }),
  ).flat();
}

function projectionShape(config: Qwen3Config, projection: ProjectionName): [number, number] {
  const { hiddenSize, feedForwardSize, queryHeads, keyValueHeads, headDim } = config;
  switch (projection) {
    case 'q_proj':
      return [queryHeads * headDim, hiddenSize];
    case 'k_proj':
    case 'v_proj':
      return [keyValueHeads * headDim, hiddenSize];
    case 'o_proj':
      return [hiddenSize, queryHeads * headDim];
    case 'gate_proj':
    case 'up_proj':
      return [feedForwardSize, hiddenSize];
    case 'down_proj':
      return [hiddenSize, feedForwardSize];
  }
}

function normNames(config: Qwen3Config): string[] {
  const ofLayer = [
    'input_layernorm',
    'self_attn.q_norm',
    'self_attn.k_norm',
    'post_attention_layernorm',
  ];
  const layers = Array.from({ length: config.layers }, (_, layer) =>
    ofLayer.map((name) => `model.layers.${layer}.${name}.weight`),
  );
  return [...layers.flat(), 'model.norm.weight'];
}

function fileOf(spec: QuantisedCacheSpec, name: string): SafetensorsFile {
  const file = spec.weights.find((candidate) => candidate.tensors.has(name)) ?? spec.weights[0];
  if (file === undefined) throw new RangeError('a quantised cache needs at least one source file');
  file.entry(name, { dtypes: ['BF16', 'F32'] });
  return file;
}

async function valuesOf(spec: QuantisedCacheSpec, matrix: Matrix): Promise<Float32Array> {
  spec.signal?.throwIfAborted();
  return fileOf(spec, matrix.name).readF32(matrix.name, [matrix.rows, matrix.columns]);
}

async function scalesOf(
  spec: QuantisedCacheSpec,
  matrix: Matrix,
  path: string,
): Promise<Float32Array<ArrayBuffer>> {
  const values = await valuesOf(spec, matrix);
  const compute = matrix.precision === 'block8' ? block8Scales : int8Scales;
  const scales = compute(values, matrix.rows, matrix.columns);
  if (scales.every(Number.isFinite)) return scales;
  throw fileFault('non_finite', path, `${matrix.name} has a value that is not finite`);
}

function scaleSource(matrix: Matrix, scales: Float32Array): TensorSource {
  const names = matrix.precision === 'block8' ? block8Names : int8Names;
  const name = names(matrix.name).scales;
  return { name, dtype: 'F32', shape: [scales.length], data: bytesOf(scales) };
}

function weightSource(
  spec: QuantisedCacheSpec,
  matrix: Matrix,
  scales: Float32Array<ArrayBuffer>,
  progress: () => void,
): TensorSource {
  const { name, rows, columns } = matrix;
  const isBlock8 = matrix.precision === 'block8';
  const quantise = isBlock8 ? quantiseBlock8 : quantiseInt8;
  const data = async function* (): AsyncGenerator<Uint8Array> {
    const { weights } = quantise(await valuesOf(spec, matrix), rows, columns, scales);
    yield bytesOf(weights);
    progress();
  };
  return isBlock8
    ? {
        name: block8Names(name).weights,
        dtype: 'U8',
        shape: [rows, block8Count(columns), block8Size],
        data,
      }
    : { name: int8Names(name).weights, dtype: 'I8', shape: [columns, rows], data };
}

function copySource(file: SafetensorsFile, name: string, progress: () => void): TensorSource {
  const { dtype, shape } = file.entry(name);
  const data = async function* (): AsyncGenerator<Uint8Array> {
    if (shape.length === 2) {
      for await (const { bytes } of file.rowChunks(name, copyRows)) yield bytes;
    } else {
      yield await file.read(name);
    }
    progress();
  };
  return { name, dtype, shape, data };
}

function bySize(a: TensorSource, b: TensorSource): number {
  const isWide = (source: TensorSource): number => (source.dtype === 'F32' ? 0 : 1);
  return isWide(a) - isWide(b);
}

function progressOf(spec: QuantisedCacheSpec, total: number): () => void {
  let done = 0;
  return () => {
    done += 1;
    spec.onProgress?.(done, total);
  };
}
