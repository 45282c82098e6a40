import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { sha256Schema } from '../../contracts/hashes.ts';
import { issueWords } from '../../contracts/issue-words.ts';
import { manifestPathSchema } from '../../contracts/manifest.ts';
import { BuildError } from './build-error.ts';
import { hashFile } from './digest-cache.ts';

const manifestLimit = 4 * 1024 * 1024;

/** Absent, null and empty digests mean that upstream recorded none. */
const recordedSha256 = z
  .union([sha256Schema, z.literal(''), z.null()])
  .optional()
  .transform((value) => (value ? value : null));

const tensorSchema = z.looseObject({
  path: z.string().min(1).max(500),
  artifact_key: z.string().min(1).max(500).optional(),
  shape: z.array(z.number().int().min(1)),
  /** `bf16`; an Elixir term such as `{:bf, 16}` is read the same. */
  type: z.unknown().transform((type) =>
    type === undefined || type === null
      ? null
      : JSON.stringify(type)
          .replace(/[^0-9A-Za-z]/g, '')
          .slice(0, 20)
          .toUpperCase(),
  ),
  offset_start: z.number().int().min(0),
  offset_end: z.number().int().min(0),
  status: z.literal('complete', 'is not "complete"'),
  checkpoint_path: z.string().optional().nullable(),
  checkpoint_sha256: recordedSha256,
});
export type UpstreamTensor = z.output<typeof tensorSchema>;

const bundleSchema = z.looseObject({
  artifact_version: z.literal(1, 'is not 1, the only version known'),
  status: z.literal('complete', 'is not "complete"'),
  export_complete: z.literal(true, 'is not true'),
  partial_debug_only: z.literal(false, 'is set').optional(),
  artifact_layout: z.enum(['checkpoint_directory', 'single_file']),
  adapted_tensors_artifact: z.string(),
  adapted_tensors_sha256: recordedSha256,
  router_head_artifact: z.string(),
  router_head_sha256: recordedSha256,
  router_head_shape: z.tuple([z.number().int().min(4), z.number().int().min(1)]),
  router_head_tensor_key: z.string().min(1),
  base_model_repo: z.string().min(1),
  selected_tensor_count: z.number().int(),
  selected_tensors: z.array(tensorSchema).min(1).max(4096),
});
export type UpstreamManifest = z.output<typeof bundleSchema>;

/**
 * Reads and checks the manifest of an upstream bundle.
 *
 * @throws BuildError `bundle_invalid` naming each key that is missing or wrong
 */
export async function readUpstreamManifest(bundle: string): Promise<UpstreamManifest> {
  const path = join(bundle, 'manifest.json');
  const parsed = bundleSchema.safeParse(parseJson(await readSmall(path), path));
  if (parsed.success) {
    const { selected_tensor_count: count, selected_tensors: tensors } = parsed.data;
    if (count === tensors.length) return parsed.data;
    throw new BuildError(
      'bundle_invalid',
      `${path} contradicts itself: selected_tensor_count is ${count}, selected_tensors lists ${tensors.length}.`,
    );
  }
  const faults = parsed.error.issues.slice(0, 10).map(issueWords);
  throw new BuildError('bundle_invalid', `${path} is not a finished bundle: ${faults.join('; ')}.`);
}

/**
 * Path of a file of the bundle, which is a plain file inside it with the recorded digest.
 *
 * @throws BuildError `bundle_path` for an absolute path, one with `..`, or a link anywhere on the way;
 *   `bundle_incomplete` when it is missing, `bundle_damaged` when its digest differs
 */
export async function bundleFile(
  bundle: string,
  relative: string,
  sha256: string | null,
): Promise<string> {
  if (!manifestPathSchema.safeParse(relative).success) {
    throw new BuildError(
      'bundle_path',
      `The bundle's manifest names ${JSON.stringify(relative.slice(0, 200))}, which is not a path inside it.`,
    );
  }
  let path = bundle;
  for (const part of relative.split('/')) {
    path = join(path, part);
    const found = await lstat(path).catch((cause: unknown) => {
      throw new BuildError('bundle_incomplete', `The bundle has no ${relative}.`, { cause });
    });
    if (found.isSymbolicLink()) {
      throw new BuildError('bundle_path', `${path} is a link: links are not followed in a bundle.`);
    }
  }
  if (sha256 !== null && (await hashFile(path)) !== sha256) {
    throw new BuildError(
      'bundle_damaged',
      `${path} does not have the digest that the manifest records. Download the bundle again.`,
      { retryable: true },
    );
  }
  return path;
}

async function readSmall(path: string): Promise<string> {
  const found = await lstat(path).catch((cause: unknown) => {
    throw new BuildError('bundle_invalid', `${path} is not there: this is no bundle.`, { cause });
  });
  if (found.isSymbolicLink()) {
    throw new BuildError('bundle_path', `${path} is a link: links are not followed in a bundle.`);
  }
  if (!found.isFile() || found.size > manifestLimit) {
    throw new BuildError('bundle_invalid', `${path} is no file of at most ${manifestLimit} bytes.`);
  }
  return readFile(path, 'utf8');
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BuildError('bundle_invalid', `${path} is not JSON.`, { cause });
  }
}
