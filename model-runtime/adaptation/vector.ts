import { createHash } from 'node:crypto';
import { readNpy } from '../weights/npy.ts';
import { openPlainFile, readExactly } from '../weights/plain-file.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { maxHeaderBytes } from '../weights/safetensors-header.ts';
import { bytesOf, type TensorSource } from '../weights/safetensors-writer.ts';
import { AdaptationError } from './adaptation-error.ts';

/** Key of the head in its file, as upstream names it. */
export const headTensorName = 'trinity_router_head';

/** Largest vector that is read: far above any router, far below what would trouble memory. */
const maxLength = 16_777_216;

/** An evolved router vector: offsets of singular values, then the head. */
export interface RouterVector {
  readonly values: Float32Array<ArrayBuffer>;
  /** sha256 of the values as little-endian f32: the same for the same vector in either file format. */
  readonly sha256: string;
}

/**
 * Reads a router vector from a safetensors file (its one F32 tensor) or a one-dimensional npy file (f32, or
 * f64 rounded to f32). The file's content decides, not its name.
 *
 * @throws AdaptationError `vector_format`, or `non_finite` naming the first bad index; WeightsError of a
 *   damaged or unreadable file
 */
export async function readRouterVector(path: string): Promise<RouterVector> {
  const values = await valuesIn(path);
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) {
    throw new AdaptationError('non_finite', `${path}: value ${bad} is not a finite number.`);
  }
  return { values, sha256: createHash('sha256').update(bytesOf(values)).digest('hex') };
}

/**
 * Splits a vector into the offsets and the head.
 *
 * @param offsetCount singular values of all selected tensors together
 * @param head        [outputs, hidden]
 * @returns offsets [offsetCount] and head [outputs * hidden], row-major; views of the vector
 * @throws AdaptationError `vector_length` with the arithmetic
 */
export function splitVector(
  vector: RouterVector,
  offsetCount: number,
  head: readonly [outputs: number, hidden: number],
): { readonly offsets: Float32Array<ArrayBuffer>; readonly head: Float32Array<ArrayBuffer> } {
  const expected = offsetCount + head[0] * head[1];
  if (vector.values.length !== expected) {
    throw new AdaptationError(
      'vector_length',
      `The vector has ${vector.values.length} values; this base needs ${expected}: ${offsetCount} offsets ` +
        `of singular values and a head of ${head[0]} x ${head[1]}.`,
    );
  }
  return {
    offsets: vector.values.subarray(0, offsetCount),
    head: vector.values.subarray(offsetCount),
  };
}

/**
 * The head as the one tensor of router_head.safetensors. Written with a header alignment of 1 the file is
 * upstream's, byte for byte.
 */
export function headTensor(
  values: Float32Array,
  shape: readonly [outputs: number, hidden: number],
): TensorSource {
  return { name: headTensorName, dtype: 'F32', shape, data: bytesOf(values) };
}

/** Sum of |d| over a span: how far it moves a tensor. */
export function offsetsL1(offsets: Float32Array): number {
  return offsets.reduce((sum, value) => sum + Math.abs(value), 0);
}

async function valuesIn(path: string): Promise<Float32Array<ArrayBuffer>> {
  const start = await startOf(path);
  if (start.subarray(0, 6).equals(Buffer.from('\x93NUMPY', 'latin1'))) return fromNpy(path);
  if (start.length === 9 && !isSafetensorsStart(start)) {
    throw new AdaptationError(
      'vector_format',
      `${path} is neither a safetensors nor an npy file: it holds no router vector.`,
    );
  }
  return fromSafetensors(path);
}

/** The first nine bytes of a file, or as many as it has. */
async function startOf(path: string): Promise<Buffer<ArrayBuffer>> {
  const file = await openPlainFile(path);
  try {
    const start = Buffer.alloc(Math.min(9, file.bytes));
    await readExactly(file, path, start, 0);
    return start;
  } finally {
    await file.handle.close();
  }
}

/** Eight bytes of the header's length, then the brace that it begins with. */
function isSafetensorsStart(start: Buffer): boolean {
  return start.readBigUInt64LE(0) <= BigInt(maxHeaderBytes) && start[8] === 0x7b;
}

async function fromNpy(path: string): Promise<Float32Array<ArrayBuffer>> {
  const { shape, values } = await readNpy(path);
  if (shape.length !== 1) {
    throw new AdaptationError(
      'vector_format',
      `${path}: its shape is [${shape.join()}], not a vector.`,
    );
  }
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

async function fromSafetensors(path: string): Promise<Float32Array<ArrayBuffer>> {
  const file = await SafetensorsFile.open(path);
  try {
    const entries = [...file.tensors.values()];
    const entry = entries[0];
    const isVector = entries.length === 1 && entry?.dtype === 'F32' && entry.shape.length === 1;
    if (!isVector || entry.shape[0]! > maxLength) {
      const found = entries
        .slice(0, 3)
        .map(({ name, dtype, shape }) => `${name} ${dtype} [${shape.join()}]`);
      throw new AdaptationError(
        'vector_format',
        `${path}: a router vector is one F32 tensor of one dimension; this file has ` +
          `${entries.length === 0 ? 'none' : found.join(', ')}${entries.length > 3 ? ', ...' : ''}.`,
      );
    }
    return await file.readF32(entry.name);
  } finally {
    await file.close();
  }
}
