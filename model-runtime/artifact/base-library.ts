import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RouterManifest } from '../../contracts/manifest.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { DigestCache } from './digest-cache.ts';

/**
 * Finds the base of a router by content: the folder whose files have the sizes and digests of the manifest.
 * A stored path is never trusted. Folders are looked at as they are, then one level down, then as a Hugging
 * Face cache (`models--*` / `snapshots` / revision); links are followed.
 *
 * @param folders where to look, in order of preference
 * @returns path of the folder that holds every file of the base
 * @throws RuntimeError `base_not_found` saying what is missing and where was looked
 */
export async function findBase(
  base: RouterManifest['base'],
  folders: readonly string[],
  digests: DigestCache,
): Promise<string> {
  for (const folder of folders) {
    for await (const candidate of candidates(folder)) {
      if (await holds(candidate, base.files, digests)) return candidate;
    }
  }
  const places = folders.length === 0 ? 'no folder was given' : folders.join(', ');
  throw new RuntimeError(
    'base_not_found',
    `This router needs the model ${base.repo} (revision ${base.revision}), which is not in: ${places}.`,
  );
}

async function* candidates(folder: string): AsyncGenerator<string> {
  yield folder;
  for (const name of await folderNames(folder)) {
    const child = join(folder, name);
    yield child;
    for (const revision of await folderNames(join(child, 'snapshots'))) {
      yield join(child, 'snapshots', revision);
    }
  }
}

async function holds(
  folder: string,
  files: RouterManifest['base']['files'],
  digests: DigestCache,
): Promise<boolean> {
  // Sizes first: they tell other models apart without reading them.
  for (const { path, bytes } of files) {
    const found = await stat(join(folder, path)).catch(() => null);
    if (found?.size !== bytes) return false;
  }
  for (const { path, sha256 } of files) {
    const real = await realpath(join(folder, path));
    if ((await digests.sha256(real)) !== sha256) return false;
  }
  return files.length > 0;
}

async function folderNames(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map((entry) => entry.name)
    .sort();
}
