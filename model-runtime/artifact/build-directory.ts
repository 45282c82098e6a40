import { lstat, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import type { FileOperations } from '../weights/atomic-file.ts';
import { createFolder } from '../weights/create-folder.ts';
import { writerOf } from './abandoned-files.ts';
import { BuildError } from './build-error.ts';
import { partsFolder } from './build-part.ts';
import { routerFiles } from './identity.ts';
import { readManifest } from './router-directory.ts';

/** Where a forced build is made before it takes the place of the router that is there. */
export function stagingOf(out: string): string {
  return join(dirname(out), `.${basename(out)}.building`);
}

/** Where the router that was there waits until the new one has its place. */
function replacedOf(out: string): string {
  return join(dirname(out), `.${basename(out)}.replaced`);
}

/** The directory behind a path: a link to a directory is followed, so that a swap replaces no link. */
export async function realDirectory(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  return found?.isSymbolicLink() === true ? realpath(path) : path;
}

/**
 * Makes a directory ready to be built into: it exists, and half-written files of a killed build are gone.
 * Call it with the directory's lock held.
 *
 * @throws BuildError `not_a_router` when it holds files and no manifest of ours: nothing is touched
 */
export async function prepareDirectory(directory: string): Promise<void> {
  createFolder(directory);
  const names = await readdir(directory);
  const foreign = names.filter((name) => writerOf(name) === null && name !== routerFiles.buildLog);
  if (foreign.length > 0 && !(await hasManifest(directory))) {
    throw new BuildError(
      'not_a_router',
      `${directory} holds files (${foreign.slice(0, 3).join(', ')}) and is no router. Choose another --out.`,
    );
  }
  await removeTemporaries(directory);
  await removeTemporaries(join(directory, partsFolder));
}

/** Whether a folder carries a manifest of ours, however broken the rest of it is. */
export async function hasManifest(directory: string): Promise<boolean> {
  const text = await readFile(join(directory, routerFiles.manifest), 'utf8').catch(() => null);
  if (text === null) return false;
  try {
    return z.object({ format: z.literal('trinity-router') }).safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Whether anything is at a path. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/** Removes a folder that carries our manifest; any other is left alone. */
export async function removeRouter(directory: string): Promise<void> {
  if (await hasManifest(directory)) await rm(directory, { recursive: true });
}

/** Puts a finished forced build in the place of the router that is there, which is then removed. */
export async function swapIn(out: string, files?: FileOperations): Promise<void> {
  const move = files?.rename ?? rename;
  await move(out, replacedOf(out));
  await move(stagingOf(out), out);
  await removeRouter(replacedOf(out));
}

/** Finishes or takes back a swap that was cut short, so that the router has its place again. */
export async function recoverSwap(out: string): Promise<void> {
  const replaced = replacedOf(out);
  if (!(await isThere(replaced))) return;
  if (!(await isThere(out))) {
    const staged = await readManifest(stagingOf(out)).catch(() => null);
    await rename(staged?.status === 'complete' ? stagingOf(out) : replaced, out);
  }
  await removeRouter(replaced);
}

async function removeTemporaries(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names.filter((name) => writerOf(name) !== null))
    await rm(join(directory, name), { force: true });
}
