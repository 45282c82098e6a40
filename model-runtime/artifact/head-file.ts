import { join } from 'node:path';
import type { FileDigest } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { headTensor } from '../adaptation/vector.ts';
import type { FileOperations } from '../weights/atomic-file.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { writeSafetensors } from '../weights/safetensors-writer.ts';
import { BuildError } from './build-error.ts';
import { routerFiles } from './identity.ts';

/** A head's matrix, [agents + roles, hidden], row-major. */
export interface HeadMatrix {
  readonly shape: [outputs: number, hidden: number];
  readonly values: Float32Array<ArrayBuffer>;
}

/**
 * Reads a head from a safetensors file: the tensor `key`, else the only one.
 *
 * @throws BuildError `head_invalid` when it is no finite matrix of at least four rows and `hidden` columns
 */
export async function readHead(path: string, hidden: number, key?: string): Promise<HeadMatrix> {
  const file = await SafetensorsFile.open(path);
  try {
    const names = [...file.tensors.keys()];
    const name = key ?? names[0];
    if (name === undefined || (key === undefined && names.length > 1)) {
      throw invalid(path, `it holds ${names.length} tensors, not one`);
    }
    const { shape } = file.entry(name, { dtypes: ['F32', 'BF16'] });
    const [outputs, inputs] = shape;
    if (shape.length !== 2 || inputs !== hidden || outputs! < roleNames.length + 1) {
      const wanted = `[agents + ${roleNames.length}, ${hidden}]`;
      throw invalid(path, `its shape is [${shape.join()}], not ${wanted}`);
    }
    const values = await file.readF32(name);
    if (!values.every(Number.isFinite)) throw invalid(path, 'it has values that are not finite');
    return { shape: [outputs!, inputs], values };
  } finally {
    await file.close();
  }
}

/** Writes the head of a router directory, in upstream's form. */
export async function writeHead(
  directory: string,
  { shape, values }: HeadMatrix,
  files?: FileOperations,
): Promise<FileDigest> {
  const path = join(directory, routerFiles.head);
  const options = { headerAlignment: 1, ...(files && { files }) } as const;
  const { bytes, sha256 } = await writeSafetensors(path, [headTensor(values, shape)], options);
  return { path: routerFiles.head, bytes, sha256 };
}

function invalid(path: string, fault: string): BuildError {
  return new BuildError('head_invalid', `${path} is no router head: ${fault}.`);
}
