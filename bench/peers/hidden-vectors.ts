import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PrecisionMap } from '../../contracts/profiles.ts';
import { profiles } from '../../model-runtime/session/profiles.ts';
import { isAllF32 } from '../../model-runtime/weights/precision.ts';
import { writeQuantisedCache } from '../../model-runtime/weights/quantised-cache.ts';
import { SafetensorsFile } from '../../model-runtime/weights/safetensors-file.ts';
import { fullSizeConfig } from '../../test/fixtures/checkpoints/full-size-checkpoint.ts';
import { openGraph } from '../../test/model-runtime/graph/graph-session.ts';

/**
 * The hidden vector of the last token on each CPU profile, from the graphs themselves: it never leaves the
 * route process of the program.
 */
export async function hiddenVectors(
  directory: string,
  workFolder: string,
  ids: readonly number[],
): Promise<Map<string, Float32Array>> {
  const vectors = new Map<string, Float32Array>();
  for (const id of ['cpu-f32', 'cpu-8bit', 'cpu-int8'] as const) {
    const { precision } = profiles[id];
    const file = isAllF32(precision, fullSizeConfig.layers)
      ? join(directory, 'model.safetensors')
      : await cacheOf(directory, join(workFolder, `hidden-${id}.safetensors`), precision);
    const checkpoint = { folder: directory, config: fullSizeConfig, tensors: new Map() };
    const session = await openGraph(checkpoint, { precision }, file);
    vectors.set(id, (await session.run(ids)).hidden);
    await session.close();
  }
  return vectors;
}

async function cacheOf(directory: string, path: string, precision: PrecisionMap): Promise<string> {
  if (existsSync(path)) return path;
  const base = await SafetensorsFile.open(join(directory, 'model.safetensors'));
  const spec = { config: fullSizeConfig, weights: [base], precision, sourceDigest: 'bench' };
  await writeQuantisedCache(path, spec).finally(() => base.close());
  return path;
}
