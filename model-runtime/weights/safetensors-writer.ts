import { writeAtomically, type FileOperations, type WrittenFile } from './atomic-file.ts';
import { elementBytes, elementCount, type Dtype } from './dtypes.ts';
import { fileFault } from './weights-error.ts';

/** A tensor to write: its bytes at once, or in pieces that are asked for when their turn comes. */
export interface TensorSource {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data: Uint8Array | (() => AsyncIterable<Uint8Array> | Iterable<Uint8Array>);
}

export interface SafetensorsWriteOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  /** The header is padded with spaces so that data starts at a multiple of this; 8 by the format's custom. */
  readonly headerAlignment?: 1 | 8 | 64;
  readonly files?: FileOperations;
}

/**
 * Writes a safetensors file atomically, tensors in the order given, without gaps. Equal inputs give equal
 * bytes.
 *
 * @returns path, size and sha256 of the file
 * @throws WeightsError `duplicate_key`, `bad_shape`, `bad_offsets` when a tensor's pieces are not as long
 *   as its shape says, `write_failed`; nothing is left behind
 */
export async function writeSafetensors(
  path: string,
  tensors: readonly TensorSource[],
  options: SafetensorsWriteOptions = {},
): Promise<WrittenFile> {
  const header = encodeHeader(path, tensors, options);
  return writeAtomically(
    path,
    async (sink) => {
      await sink(header);
      for (const tensor of tensors) {
        const expected = tensorBytes(tensor);
        const pieces = tensor.data instanceof Uint8Array ? [tensor.data] : tensor.data();
        let written = 0;
        for await (const piece of pieces) {
          await sink(piece);
          written += piece.byteLength;
        }
        if (written !== expected) {
          const reason = `${tensor.name} needs ${expected} bytes and was given ${written}`;
          throw fileFault('bad_offsets', path, reason);
        }
      }
    },
    options.files,
  );
}

/** The bytes of a typed array as they go into a file. */
export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function encodeHeader(
  path: string,
  tensors: readonly TensorSource[],
  options: SafetensorsWriteOptions,
): Uint8Array {
  const members: string[] = [];
  if (options.metadata !== undefined) {
    members.push(`"__metadata__":${JSON.stringify(options.metadata)}`);
  }
  const seen = new Set(['__metadata__']);
  let offset = 0;
  for (const { name, dtype, shape, ...rest } of tensors) {
    if (seen.has(name)) throw fileFault('duplicate_key', path, `${name} is given twice`);
    seen.add(name);
    const end = offset + tensorBytes({ name, dtype, shape, ...rest });
    if (!shape.every((size) => Number.isSafeInteger(size) && size >= 0)) {
      throw fileFault('bad_shape', path, `${name} has the shape [${shape.join()}]`);
    }
    const entry = JSON.stringify({ dtype, shape, data_offsets: [offset, end] });
    members.push(`${JSON.stringify(name)}:${entry}`);
    offset = end;
  }
  const json = new TextEncoder().encode(`{${members.join(',')}}`);
  const alignment = options.headerAlignment ?? 8;
  const length = Math.ceil((8 + json.byteLength) / alignment) * alignment - 8;
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(json, 8);
  return header;
}

function tensorBytes(tensor: TensorSource): number {
  return elementCount(tensor.shape) * elementBytes(tensor.dtype);
}
