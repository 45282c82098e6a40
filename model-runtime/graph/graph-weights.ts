import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { SafetensorsFile } from '../weights/safetensors-file.ts';
import { GraphError } from './graph-error.ts';
import type { OnnxModel, OnnxType, Value } from './onnx-model.ts';

/** A tensor that travels inside the model bytes, such as an adapted projection. */
export interface InlineTensor {
  readonly dtype: 'BF16' | 'F32';
  readonly shape: readonly number[];
  /** Little-endian values, aligned for their type. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Brings checkpoint tensors into a model as constants: adapted ones inline, all others as ranges of the
 * files they lie in, at the files' own offsets. Where several files have a name, the first one gives it.
 */
export class GraphWeights {
  readonly #model: OnnxModel;
  readonly #files: readonly SafetensorsFile[];
  readonly #adapted: ReadonlyMap<string, InlineTensor>;

  constructor(
    model: OnnxModel,
    files: readonly SafetensorsFile[],
    adapted: ReadonlyMap<string, InlineTensor>,
  ) {
    this.#model = model;
    this.#files = files;
    this.#adapted = adapted;
  }

  /** The adapted tensor of a name, checked for its shape; undefined where the base's is used. */
  adapted(name: string, shape: readonly number[]): InlineTensor | undefined {
    const tensor = this.#adapted.get(name);
    if (tensor !== undefined) requireShape(name, tensor.shape, shape, 'the adapted tensors');
    return tensor;
  }

  /** A matrix as f32. ONNX Runtime folds the cast of a constant when it loads the model. */
  matrix(name: string, shape: readonly number[]): Value {
    const { value, type } = this.#stored(name, shape);
    return type === 'F32' ? value : castToF32(this.#model, value);
  }

  /** A matrix in the type in which it is stored, BF16 or F32. */
  stored(name: string, shape: readonly number[]): Value {
    return this.#stored(name, shape).value;
  }

  /** A tensor of a cache file, of exactly this type. */
  cached(name: string, type: 'U8' | 'I8' | 'F32', shape: readonly number[]): Value {
    const file = this.#fileOf(name);
    const entry = file.entry(name, { dtypes: [type], shape });
    return this.#model.external(name, type, shape, rangeOf(file, entry));
  }

  /** The values of a small tensor, to be put inline. */
  async vector(name: string, length: number): Promise<Float32Array<ArrayBuffer>> {
    return this.#fileOf(name).readF32(name, [length]);
  }

  #stored(name: string, shape: readonly number[]): { value: Value; type: OnnxType } {
    const inline = this.adapted(name, shape);
    if (inline !== undefined) {
      const value = this.#model.constant(name, inline.dtype, shape, inline.bytes);
      return { value, type: inline.dtype };
    }
    const file = this.#fileOf(name);
    const entry = file.entry(name, { dtypes: ['BF16', 'F32'], shape });
    const type = entry.dtype === 'F32' ? 'F32' : 'BF16';
    return { value: this.#model.external(name, type, shape, rangeOf(file, entry)), type };
  }

  #fileOf(name: string): SafetensorsFile {
    const file = this.#files.find((candidate) => candidate.tensors.has(name));
    if (file !== undefined) return file;
    const places = this.#files.map((candidate) => candidate.path).join(' and ');
    throw new GraphError('missing_tensor', `${places}: there is no tensor ${name}.`);
  }
}

/** The f32 form of a value. */
export function castToF32(model: OnnxModel, value: Value): Value {
  return model.node({ op: 'Cast', inputs: [value], attributes: { to: { int: 1 } } });
}

/** Refuses a shape other than the expected one. */
export function requireShape(
  name: string,
  actual: readonly number[],
  expected: readonly number[],
  place: string,
): void {
  if (actual.join() === expected.join()) return;
  throw new GraphError(
    'wrong_shape',
    `${name} in ${place} has shape [${actual.join()}]; this model needs [${expected.join()}].`,
  );
}

function rangeOf(file: SafetensorsFile, entry: { start: number; end: number }) {
  return {
    // The name behind any link: ONNX Runtime refuses links that leave its folder.
    location: basename(realpathSync(file.path)),
    offset: entry.start,
    length: entry.end - entry.start,
  };
}
