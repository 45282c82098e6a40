import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FileOperations } from '../weights/atomic-file.ts';
import { createFolder } from '../weights/create-folder.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { bytesOf, writeSafetensors } from '../weights/safetensors-writer.ts';
import { WeightsError } from '../weights/weights-error.ts';
import { algorithmVersion } from './algorithm.ts';
import type { Eigensystem } from './eigen.ts';
import { rankOf, type MatrixDtype } from './matrix.ts';

/** A matrix by its content. */
export interface MatrixIdentity {
  /** sha256 of its bytes as stored. */
  readonly sha256: string;
  readonly rows: number;
  readonly columns: number;
  readonly dtype: MatrixDtype;
}

/** Decompositions that were computed before, by the matrix alone: another vector for the same base needs no new one. */
export interface DecompositionCache {
  get(matrix: MatrixIdentity): Promise<Eigensystem | null>;
  put(matrix: MatrixIdentity, system: Eigensystem): Promise<void>;
}

/**
 * Decompositions as files of a folder, 8 MB for 1,024 singular values. A file that is damaged or of another
 * algorithm counts as absent and is written anew.
 */
export function decompositionFolder(folder: string, files?: FileOperations): DecompositionCache {
  const pathOf = ({ sha256, rows, columns, dtype }: MatrixIdentity) =>
    join(folder, `${sha256}-${rows}x${columns}-${dtype}.safetensors`);
  return {
    get: async (matrix) => {
      try {
        return await read(pathOf(matrix), rankOf(matrix));
      } catch (error) {
        if (error instanceof WeightsError) return null;
        throw error;
      }
    },
    put: async (matrix, { values, vectors }) => {
      createFolder(folder);
      const n = values.length;
      await writeSafetensors(
        pathOf(matrix),
        [
          { name: 'values', dtype: 'F64', shape: [n], data: bytesOf(values) },
          { name: 'vectors', dtype: 'F64', shape: [n, n], data: bytesOf(vectors) },
        ],
        {
          metadata: { algorithm: algorithmVersion, sha256: contentHash(values, vectors) },
          ...(files && { files }),
        },
      );
    },
  };
}

async function read(path: string, n: number): Promise<Eigensystem | null> {
  const file = await SafetensorsFile.open(path);
  try {
    if (file.metadata.get('algorithm') !== algorithmVersion) return null;
    file.entry('values', { dtypes: ['F64'], shape: [n] });
    file.entry('vectors', { dtypes: ['F64'], shape: [n, n] });
    const values = new Float64Array((await file.read('values')).buffer);
    const vectors = new Float64Array((await file.read('vectors')).buffer);
    return contentHash(values, vectors) === file.metadata.get('sha256')
      ? { values, vectors }
      : null;
  } finally {
    await file.close();
  }
}

function contentHash(values: Float64Array, vectors: Float64Array): string {
  return createHash('sha256').update(bytesOf(values)).update(bytesOf(vectors)).digest('hex');
}
