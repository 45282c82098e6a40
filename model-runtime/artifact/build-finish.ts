import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdaptedTensor, FileDigest, RouterManifest } from '../../contracts/manifest.ts';
import type { FileOperations } from '../weights/atomic-file.ts';
import { bytesOf, writeSafetensors, type TensorSource } from '../weights/safetensors-writer.ts';
import { BuildError } from './build-error.ts';
import type { ManifestDraft } from './build-inputs.ts';
import {
  destinationOf,
  partsFolder,
  readPart,
  storedTensor,
  type BuiltPart,
} from './build-part.ts';
import { hashFile } from './digest-cache.ts';
import { routerFiles } from './identity.ts';
import { writeManifest } from './manifest-file.ts';

/**
 * Puts the finished parts together into the files of a router directory and completes its manifest; then
 * the parts are removed.
 */
export async function finishBuild(
  directory: string,
  draft: ManifestDraft,
  files?: FileOperations,
): Promise<RouterManifest> {
  const complete = draft.adaptation.tensors.filter(({ status }) => status === 'complete');
  const write = async (name: string, tensors: readonly TensorSource[]): Promise<FileDigest> => {
    const written = await writeSafetensors(join(directory, name), tensors, files && { files });
    return { path: name, bytes: written.bytes, sha256: written.sha256 };
  };
  const digests = [...draft.files];
  for (const name of [routerFiles.adapted, routerFiles.embeddingM]) {
    const held = complete.filter((tensor) => destinationOf(tensor.name).file === name);
    if (held.length === 0) continue;
    const sources = held.map((tensor) => ({
      ...storedTensor(tensor),
      data: () => oneOf(directory, tensor, ({ value }) => value!),
    }));
    digests.push(await write(name, sources));
  }
  if (complete.length > 0) {
    const sources = complete.map((tensor): TensorSource => ({
      name: tensor.name,
      dtype: 'F64',
      shape: [tensor.singularValues!.count],
      data: () => oneOf(directory, tensor, ({ singular }) => bytesOf(singular)),
    }));
    digests.push(await write(routerFiles.singularValues, sources));
  }
  if (complete.some(({ name }) => destinationOf(name).file === routerFiles.lmHead)) {
    const path = join(directory, routerFiles.lmHead);
    const { size } = await lstat(path);
    digests.push({ path: routerFiles.lmHead, bytes: size, sha256: await hashFile(path) });
  }
  const manifest = await writeManifest(
    directory,
    { ...draft, status: 'complete', files: digests },
    files,
  );
  await rm(join(directory, partsFolder), { recursive: true, force: true });
  return manifest;
}

/** Whether every file that a manifest names has the bytes it names. */
export async function isIntact(directory: string, manifest: RouterManifest): Promise<boolean> {
  for (const { path, sha256 } of manifest.files) {
    const found = await hashFile(join(directory, path)).catch(() => null);
    if (found !== sha256) return false;
  }
  return true;
}

async function* oneOf(
  directory: string,
  tensor: AdaptedTensor,
  pick: (part: BuiltPart) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  const part = await readPart(directory, tensor);
  if (part === null) {
    throw new BuildError(
      'build_in_progress',
      `The part of ${tensor.name} in ${directory} changed while it was read. Build again.`,
      { retryable: true },
    );
  }
  yield pick(part);
}
