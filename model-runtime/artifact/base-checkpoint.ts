import { constants, copyFile, link, lstat, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileDigest, RouterManifest } from '../../contracts/manifest.ts';
import { readQwen3Config, type Qwen3Config } from '../weights/qwen3-config.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import type { TensorEntry } from '../weights/safetensors-header.ts';
import { BuildError } from './build-error.ts';
import type { DigestCache } from './digest-cache.ts';
import { originOf } from './published-router.ts';

/** Files by which a base is known. */
const baseFiles = ['config.json', 'model.safetensors', 'tokenizer.json'] as const;

/** A checkpoint that a router is built on. */
export interface BaseCheckpoint {
  readonly folder: string;
  /** Real path of model.safetensors. */
  readonly weightsPath: string;
  readonly config: Qwen3Config;
  readonly tensors: ReadonlyMap<string, TensorEntry>;
}

/**
 * Opens a base: a folder with config.json, model.safetensors and tokenizer.json, or a Hugging Face snapshot,
 * whose files are links.
 *
 * @throws BuildError `base_invalid` naming what is missing; WeightsError of a damaged or unsupported one
 */
export async function openBase(folder: string): Promise<BaseCheckpoint> {
  for (const name of baseFiles) {
    await realpath(join(folder, name)).catch((cause: unknown) => {
      throw new BuildError(
        'base_invalid',
        `${folder} has no ${name}. A base is a folder with config.json, model.safetensors and tokenizer.json, ` +
          'such as a Hugging Face snapshot of Qwen/Qwen3-0.6B.',
        { cause },
      );
    });
  }
  const weightsPath = await realpath(join(folder, 'model.safetensors'));
  const config = await readQwen3Config(await realpath(join(folder, 'config.json')));
  const file = await SafetensorsFile.open(weightsPath);
  try {
    return { folder, weightsPath, config, tensors: file.tensors };
  } finally {
    await file.close();
  }
}

/** The base as a manifest names it: by the digests of its files. */
export async function baseIdentity(
  base: BaseCheckpoint,
  digests: DigestCache,
  asked: { readonly repo: string | null; readonly revision: string | null },
): Promise<RouterManifest['base']> {
  const files: FileDigest[] = [];
  for (const path of baseFiles) {
    const real = await realpath(join(base.folder, path));
    const { size } = await lstat(real);
    files.push({ path, bytes: size, sha256: await digests.sha256(real) });
  }
  const weights = files.find(({ path }) => path === 'model.safetensors')!;
  const known = originOf(weights.sha256) ?? snapshotOrigin(base.folder);
  const { layers, hiddenSize } = base.config;
  // A base without a known origin is named by what it is, never by where it lies.
  return {
    repo: asked.repo ?? known?.repo ?? `local/qwen3-${layers}x${hiddenSize}`,
    revision: asked.revision ?? known?.revision ?? weights.sha256.slice(0, 12),
    files,
  };
}

/**
 * Puts a base's files into a folder: as hard links, which take no space, or as copies on another disk. What is
 * there already is replaced, never written into: it may be a link itself.
 */
export async function placeBase(
  base: BaseCheckpoint,
  { files }: Pick<RouterManifest['base'], 'files'>,
  folder: string,
): Promise<void> {
  for (const { path } of files) {
    const from = await realpath(join(base.folder, path));
    const to = join(folder, path);
    await rm(to, { force: true });
    await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
  }
}

/** Repository and revision in the path of a Hugging Face snapshot. */
function snapshotOrigin(folder: string): { repo: string; revision: string } | null {
  const found = /models--([^/\\]+?)--([^/\\]+)[/\\]snapshots[/\\]([^/\\]+)[/\\]?$/.exec(folder);
  return found ? { repo: `${found[1]}/${found[2]}`, revision: found[3]! } : null;
}
