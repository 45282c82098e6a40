import { lstat, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { FileDigest, RouterManifest } from '../../contracts/manifest.ts';
import { roleNames } from '../../contracts/roles.ts';
import { RuntimeError } from '../runtime-error.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import type { DigestCache } from './digest-cache.ts';
import { adapterRefOf, routerFiles } from './identity.ts';
import { readJsonFile } from './json-file.ts';
import { openRouterDirectory } from './router-directory.ts';

/** What a folder that names a router turns out to be. */
export type SourceKind = 'router' | 'upstream' | 'base+head';

const formatSchema = z.looseObject({
  format: z.unknown().optional(),
  artifact_version: z.unknown().optional(),
});

/**
 * What a folder is: ours by the manifest's `format`, upstream's by `artifact_version`, else a checkpoint with
 * `config.json` and `router_head.safetensors`.
 *
 * @throws RuntimeError `router_not_found` when it is none of them
 */
export async function sourceKind(directory: string): Promise<SourceKind> {
  const manifest = join(directory, routerFiles.manifest);
  if (await isFile(manifest)) {
    const json = await readJsonFile(manifest, formatSchema);
    if (json.format === 'trinity-router') return 'router';
    if (json.artifact_version !== undefined) return 'upstream';
    const sentence = `${manifest} is neither a router's manifest nor an upstream bundle's.`;
    throw new RuntimeError('router_invalid', sentence);
  }
  const isCheckpoint =
    (await isFile(join(directory, 'config.json'))) &&
    (await isFile(join(directory, routerFiles.head)));
  if (isCheckpoint) return 'base+head';
  throw new RuntimeError(
    'router_not_found',
    `${directory} holds no router: neither manifest.json nor config.json with router_head.safetensors.`,
  );
}

/**
 * The manifest of a folder that is a router, checked. For a checkpoint with a head it is made from what lies
 * there, hashing the base; its base is then the folder itself.
 *
 * @throws RuntimeError `router_not_found`, `router_invalid`, `file_unreadable`
 */
export async function openRouterSource(
  directory: string,
  digests: DigestCache,
): Promise<RouterManifest> {
  switch (await sourceKind(directory)) {
    case 'router':
      return openRouterDirectory(directory);
    case 'base+head':
      return manifestOfCheckpoint(directory, digests);
    case 'upstream':
      throw new RuntimeError(
        'router_invalid',
        `${directory} is a bundle in upstream's format: import it first (trinity models import).`,
      );
  }
}

async function manifestOfCheckpoint(
  directory: string,
  digests: DigestCache,
): Promise<RouterManifest> {
  const head = await digestOf(directory, routerFiles.head, digests);
  const shape = await headShape(join(directory, routerFiles.head));
  const parts = {
    base: {
      repo: directory,
      revision: 'local',
      files: [
        await digestOf(directory, 'model.safetensors', digests),
        await digestOf(directory, 'config.json', digests),
        await digestOf(directory, 'tokenizer.json', digests),
      ],
    },
    head: { kind: 'linear' as const, shape },
    adaptation: { embedding: null, vectorSha256: null, algorithm: 'none', tensors: [] },
    files: [head],
  };
  const count = shape[0] - roleNames.length;
  if (count < 1) {
    const sentence = `The head in ${directory} has ${shape[0]} outputs: too few for agents and 3 roles.`;
    throw new RuntimeError('router_invalid', sentence);
  }
  return {
    format: 'trinity-router',
    version: 1,
    status: 'complete',
    adapterRef: adapterRefOf(parts),
    kind: 'base+head',
    ...parts,
    agents: { count, labels: Array.from({ length: count }, (_, index) => `agent ${index}`) },
    roles: [...roleNames],
  };
}

async function headShape(path: string): Promise<[number, number]> {
  const file = await SafetensorsFile.open(path);
  try {
    const [entry, second] = file.tensors.values();
    const [outputs, inputs] = entry?.shape ?? [];
    if (outputs !== undefined && inputs !== undefined && second === undefined) {
      return [outputs, inputs];
    }
  } finally {
    await file.close();
  }
  throw new RuntimeError('router_invalid', `${path} does not hold one matrix [outputs, hidden].`);
}

async function digestOf(
  directory: string,
  path: string,
  digests: DigestCache,
): Promise<FileDigest> {
  const real = await realpath(join(directory, path)).catch(() => {
    throw new RuntimeError('router_invalid', `${join(directory, path)} is missing.`);
  });
  const { size } = await stat(real);
  return { path, bytes: size, sha256: await digests.sha256(real) };
}

async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isFile() || found.isSymbolicLink(),
    () => false,
  );
}
