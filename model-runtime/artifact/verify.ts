import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { findBase } from './base-library.ts';
import { BuildError } from './build-error.ts';
import { hasManifest, removeRouter } from './build-directory.ts';
import { DigestCache, hashFile } from './digest-cache.ts';
import { lockDirectory } from './directory-lock.ts';
import { openRouterDirectory } from './router-directory.ts';
import { adaptationProblem } from './verify-adaptation.ts';

/** One thing that a verification looked at. */
export interface VerifiedItem {
  /**
   * A file of the directory, `manifest.json`, `singular values` (`and c`) for what the manifest says of them,
   * or `base` for the base found by its digests.
   */
  readonly item: string;
  /** Null when it is as it should be. */
  readonly problem: string | null;
}

/**
 * Reads every byte of a router: its manifest and identity, the digest of each file, and its base, looked for
 * by content. Nothing is taken from memory of earlier runs.
 *
 * @param vectorPath the vector that the router was built from, by which each c is checked; null without it
 * @param report called before each file is read
 */
export async function verifyRouter(
  directory: string,
  baseFolders: readonly string[],
  vectorPath: string | null = null,
  report: (item: string) => void = () => undefined,
): Promise<VerifiedItem[]> {
  const problemOf = async (check: () => Promise<unknown>): Promise<string | null> =>
    check().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  report('manifest.json');
  const problem = await problemOf(() => openRouterDirectory(directory));
  if (problem !== null) return [{ item: 'manifest.json', problem }];
  const manifest = await openRouterDirectory(directory);
  const items: VerifiedItem[] = [{ item: 'manifest.json', problem: null }];
  for (const { path, sha256 } of manifest.files) {
    report(path);
    const found = await hashFile(join(directory, path));
    const isSame = found === sha256;
    items.push({
      item: path,
      problem: isSame ? null : 'its content is not what the manifest records',
    });
  }
  const hasSingularValues = manifest.adaptation.tensors.some((tensor) => tensor.singularValues);
  if (hasSingularValues || vectorPath !== null) {
    const item = vectorPath === null ? 'singular values' : 'singular values and c';
    report(item);
    const contradiction = await adaptationProblem(directory, manifest, vectorPath).catch(
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    items.push({ item, problem: contradiction });
  }
  report('base');
  const folders = [directory, ...baseFolders];
  const base = await problemOf(() => findBase(manifest.base, folders, new DigestCache(null)));
  return [...items, { item: 'base', problem: base }];
}

/**
 * Removes a router directory.
 *
 * @throws BuildError `not_a_router` for a folder without our manifest, or a link; `build_in_progress`
 */
export async function removeRouterDirectory(directory: string): Promise<void> {
  const found = await lstat(directory).catch(() => null);
  if (found?.isDirectory() !== true || !(await hasManifest(directory))) {
    throw new BuildError(
      'not_a_router',
      `${directory} is no router directory: nothing was removed.`,
    );
  }
  const lock = lockDirectory(directory);
  try {
    await removeRouter(directory);
  } finally {
    lock.release();
  }
}
