import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '../../contracts/canonical-json.ts';
import type { PrecisionMap } from '../../contracts/profiles.ts';
import { RuntimeError } from '../runtime-error.ts';
import { createFolder } from '../weights/create-folder.ts';
import { isQuantisedCacheOf, writeQuantisedCache } from '../weights/quantised-cache.ts';
import type { Qwen3Config } from '../weights/qwen3-config.ts';
import { SafetensorsFile } from '../weights/safetensors-file.ts';

export interface QuantisedWeightsSpec {
  readonly config: Qwen3Config;
  /** The checkpoint's files, the first to have a tensor gives it. */
  readonly weights: readonly SafetensorsFile[];
  readonly precision: PrecisionMap;
  /** Digest over the contents of those files. */
  readonly sourceDigest: string;
  readonly cacheDirectory: string | null;
  /** The file is one that every trial writes anew, and that goes when weights are prepared to be kept. */
  readonly isTrial?: boolean;
}

/** One name, because a calibration tries a dozen maps of some hundred megabytes each. */
const trialName = 'quantised-trial.safetensors';

/**
 * The cache file with a checkpoint's weights in a precision map, opened; null when it has not been written
 * yet or belongs to other contents.
 */
export async function openQuantisedWeights(
  spec: QuantisedWeightsSpec,
): Promise<SafetensorsFile | null> {
  let file: SafetensorsFile;
  try {
    file = await SafetensorsFile.open(cachePath(spec));
  } catch {
    // Absent or damaged: either way it is written again.
    return null;
  }
  if (isQuantisedCacheOf(file, spec.precision, spec.sourceDigest)) return file;
  await file.close();
  return null;
}

/**
 * Writes that file where it is not there. Takes seconds to a minute for Qwen3-0.6B: not in the route process.
 *
 * @throws RuntimeError `build_failed` where no cache directory was given; WeightsError
 */
export async function ensureQuantisedWeights(
  spec: QuantisedWeightsSpec,
  context: { readonly signal: AbortSignal; report(done: number, total: number): void },
): Promise<void> {
  if (spec.isTrial !== true && spec.cacheDirectory !== null) await removeTrial(spec.cacheDirectory);
  const existing = await openQuantisedWeights(spec);
  if (existing !== null) return existing.close();
  const path = cachePath(spec);
  createFolder(directoryOf(spec));
  const { config, weights, precision, sourceDigest } = spec;
  await writeQuantisedCache(path, {
    config,
    weights,
    precision,
    sourceDigest,
    signal: context.signal,
    onProgress: context.report,
  });
}

async function removeTrial(cacheDirectory: string): Promise<void> {
  try {
    await rm(join(cacheDirectory, trialName), { force: true });
  } catch {
    // On Windows a trial that runs in another process holds it: it goes the next time.
  }
}

function cachePath(spec: QuantisedWeightsSpec): string {
  if (spec.isTrial === true) return join(directoryOf(spec), trialName);
  const { default: fallback, projections, exceptions } = spec.precision;
  const key = canonicalJson({ default: fallback, projections, exceptions });
  const digest = createHash('sha256').update(`${spec.sourceDigest} ${key}`).digest('hex');
  return join(directoryOf(spec), `quantised-${digest.slice(0, 32)}.safetensors`);
}

function directoryOf({ cacheDirectory }: QuantisedWeightsSpec): string {
  if (cacheDirectory !== null) return cacheDirectory;
  throw new RuntimeError(
    'build_failed',
    'Quantised weights need a folder to be kept in, and none was given.',
  );
}
