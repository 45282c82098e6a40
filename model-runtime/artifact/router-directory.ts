import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  routerManifestSchema,
  type RouterManifest,
  type RouterSummary,
} from '../../contracts/manifest.ts';
import { RuntimeError } from '../runtime-error.ts';
import { adapterRefOf, routerFiles } from './identity.ts';
import { readJsonFile } from './json-file.ts';

/**
 * The manifest of a router directory, checked: complete, its files there with the sizes it names, its
 * identity that of its digests. Contents are not hashed here.
 *
 * @throws RuntimeError `file_unreadable`, or `router_invalid` naming the directory and the fault
 */
export async function openRouterDirectory(directory: string): Promise<RouterManifest> {
  const manifest = await readManifest(directory);
  if (manifest.status !== 'complete') {
    throw invalid(directory, 'it is not finished; build it again to go on where it stopped');
  }
  if (adapterRefOf(manifest) !== manifest.adapterRef) {
    throw invalid(directory, 'its identity is not that of the files it names');
  }
  const outputs = manifest.agents.count + manifest.roles.length;
  if (outputs !== manifest.head.shape[0]) {
    throw invalid(directory, `its head has ${manifest.head.shape[0]} outputs, not ${outputs}`);
  }
  for (const { path, bytes } of manifest.files) {
    const found = await sizeOf(join(directory, path));
    if (found === null) throw invalid(directory, `${path} is missing`);
    if (found !== bytes) throw invalid(directory, `${path} has ${found} bytes, not ${bytes}`);
  }
  return manifest;
}

/** A directory's manifest as it is written, finished or not. */
export async function readManifest(directory: string): Promise<RouterManifest> {
  return readJsonFile(join(directory, routerFiles.manifest), routerManifestSchema);
}

/**
 * What a folder of routers holds: one summary for each folder with a manifest, broken ones with the reason,
 * in the order of their names. The disk is the truth; a folder that is not there holds nothing.
 */
export async function listRouters(routersDirectory: string): Promise<RouterSummary[]> {
  const entries = await readdir(routersDirectory, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !isHidden(entry.name))
    .map((entry) => entry.name)
    .sort();
  const summaries = await Promise.all(
    names.map((name) => summarise(join(routersDirectory, name), name)),
  );
  return summaries.filter((summary) => summary !== null);
}

/** A router directory as `models list` shows it; null when the folder has no manifest. */
export async function summarise(
  directory: string,
  id: string = basename(directory),
): Promise<RouterSummary | null> {
  if ((await sizeOf(join(directory, routerFiles.manifest))) === null) return null;
  let manifest: RouterManifest | null = null;
  let bytes = 0;
  try {
    manifest = await readManifest(directory);
    // A demo, or a router with an embedding of its own, has its base beside it.
    for (const { path } of [...manifest.files, ...manifest.base.files]) {
      bytes += (await sizeOf(join(directory, path))) ?? 0;
    }
    if (manifest.status === 'complete') await openRouterDirectory(directory);
    return { ...summaryOf(manifest, directory, id), bytes, status: manifest.status, problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ...summaryOf(manifest, directory, id), bytes, status: 'broken', problem };
  }
}

function summaryOf(manifest: RouterManifest | null, directory: string, id: string) {
  return {
    id,
    directory,
    kind: manifest?.kind ?? 'built',
    adapterRef: manifest?.adapterRef ?? null,
    agentCount: manifest?.agents.count ?? 0,
    agentLabels: manifest?.agents.labels ?? [],
  };
}

function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** A link is no file of a router: it could lead anywhere. */
async function sizeOf(path: string): Promise<number | null> {
  return lstat(path).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
}

function invalid(directory: string, fault: string): RuntimeError {
  return new RuntimeError('router_invalid', `The router in ${directory} cannot be used: ${fault}.`);
}
