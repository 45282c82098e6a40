import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileDigest, RouterManifest } from '../../../contracts/manifest.ts';
import { adapterRefOf } from '../../../model-runtime/artifact/identity.ts';

/** Writes files and gives their digests, in the order given. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<FileDigest[]> {
  await mkdir(folder, { recursive: true });
  const digests: FileDigest[] = [];
  for (const [path, text] of Object.entries(files)) {
    await writeFile(join(folder, path), text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    digests.push({ path, bytes: Buffer.byteLength(text), sha256 });
  }
  return digests;
}

/** The files of a base that tests look for; only their contents matter there. */
export const baseFiles = {
  'model.safetensors': 'weights',
  'config.json': '{}',
  'tokenizer.json': '{"a":1}',
};

/** Writes a router directory whose manifest fits its files; `over` replaces members of the manifest. */
export async function writeRouterFolder(
  folder: string,
  over: Partial<RouterManifest> = {},
): Promise<RouterManifest> {
  const files = await writeFiles(folder, { 'router_head.safetensors': 'head' });
  const base = await writeFiles(join(folder, '..', '.made-base'), baseFiles);
  const parts = {
    base: { repo: 'Qwen/Qwen3-0.6B', revision: 'abc', files: base },
    head: { kind: 'linear' as const, shape: [10, 64] as [number, number] },
    adaptation: { embedding: null, vectorSha256: null, algorithm: 'none', tensors: [] },
    files,
  };
  const manifest: RouterManifest = {
    format: 'trinity-router',
    version: 1,
    status: 'complete',
    kind: 'built',
    ...parts,
    adapterRef: adapterRefOf(parts),
    agents: { count: 7, labels: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] },
    roles: ['Worker', 'Thinker', 'Verifier'],
    ...over,
  };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}
