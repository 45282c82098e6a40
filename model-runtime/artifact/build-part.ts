import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { AdaptedTensor } from '../../contracts/manifest.ts';
import { embeddingName, lmHeadName } from '../adaptation/selection.ts';
import type { FileOperations } from '../weights/atomic-file.ts';
import { createFolder } from '../weights/create-folder.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { bytesOf, writeSafetensors, type TensorSource } from '../weights/safetensors-writer.ts';
import { WeightsError } from '../weights/weights-error.ts';
import { routerFiles } from './identity.ts';
import { routerTensors } from './tensor-names.ts';

/** Folder of finished tensors inside an unfinished router directory. */
export const partsFolder = 'parts';

/** What a build makes of one tensor: its new values, and the singular values of the base's matrix. */
export interface BuiltPart {
  readonly singular: Float64Array<ArrayBuffer>;
  /** Tensor bytes; null for the language head, whose values go straight to their file. */
  readonly value: Uint8Array | null;
}

/** Where the values of a tensor end up: file, and name in it. */
export function destinationOf(name: string): { readonly file: string; readonly key: string } {
  if (name === embeddingName)
    return { file: routerFiles.embeddingM, key: routerTensors.embeddingM };
  if (name === lmHeadName) return { file: routerFiles.lmHead, key: routerTensors.lmHead };
  return { file: routerFiles.adapted, key: name };
}

/** A tensor's values as they are stored: M is square, everything else has the base's shape. */
export function storedTensor(tensor: AdaptedTensor): Omit<TensorSource, 'data'> {
  const [rows, columns] = tensor.shape;
  const n = Math.min(rows, columns);
  const isM = tensor.name === embeddingName;
  return {
    name: destinationOf(tensor.name).key,
    dtype: tensor.dtype,
    shape: isM ? [n, n] : [rows, columns],
  };
}

/** Lower-case hex sha256 of bytes. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes a finished tensor as a part, atomically. */
export async function writePart(
  directory: string,
  tensor: AdaptedTensor,
  part: BuiltPart,
  files?: FileOperations,
): Promise<void> {
  createFolder(join(directory, partsFolder));
  const count = part.singular.length;
  const tensors: TensorSource[] = [
    { name: singularKey, dtype: 'F64', shape: [count], data: bytesOf(part.singular) },
  ];
  if (part.value !== null) tensors.push({ ...storedTensor(tensor), data: part.value });
  await writeSafetensors(partPath(directory, tensor.name), tensors, files && { files });
}

/**
 * The values of a tensor that the manifest calls complete, from its part or from the finished files.
 *
 * @returns null when neither has bytes of the recorded digests: it is then built again
 */
export async function readPart(
  directory: string,
  tensor: AdaptedTensor,
): Promise<BuiltPart | null> {
  const { file, key } = destinationOf(tensor.name);
  const singular = await firstMatching(tensor.singularValues?.sha256, [
    [partPath(directory, tensor.name), singularKey],
    [join(directory, routerFiles.singularValues), tensor.name],
  ]);
  if (singular === null) return null;
  const part = { singular: new Float64Array(singular.buffer), value: null };
  if (tensor.name === lmHeadName) {
    return (await rowsDigest(join(directory, file), key)) === tensor.sha256 ? part : null;
  }
  const value = await firstMatching(tensor.sha256, [
    [partPath(directory, tensor.name), key],
    [join(directory, file), key],
  ]);
  return value && { ...part, value };
}

const singularKey = 'singular_values';

function partPath(directory: string, name: string): string {
  return join(directory, partsFolder, `${name.replace(/[^0-9A-Za-z_.-]/g, '_')}.safetensors`);
}

async function firstMatching(
  sha256: string | null | undefined,
  places: readonly (readonly [path: string, key: string])[],
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (sha256 === null || sha256 === undefined) return null;
  for (const [path, key] of places) {
    const bytes = await tensorBytes(path, key);
    if (bytes !== null && sha256Of(bytes) === sha256) return bytes;
  }
  return null;
}

/** Digest of a large tensor, read by rows; null when the file is missing, damaged or without it. */
async function rowsDigest(path: string, key: string): Promise<string | null> {
  return withFile(path, async (file) => {
    const hash = createHash('sha256');
    for await (const { bytes } of file.rowChunks(key, 1024)) hash.update(bytes);
    return hash.digest('hex');
  });
}

/** Bytes of a tensor, or null when the file is missing, damaged or without it. */
async function tensorBytes(path: string, key: string): Promise<Uint8Array<ArrayBuffer> | null> {
  return withFile(path, (file) => file.read(key));
}

async function withFile<T>(
  path: string,
  work: (file: SafetensorsFile) => Promise<T>,
): Promise<T | null> {
  try {
    const file = await SafetensorsFile.open(path);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof WeightsError) return null;
    throw error;
  }
}
