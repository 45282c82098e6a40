import { mkdtemp, rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ProfileId } from '../../contracts/profiles.ts';
import { profiles } from '../../model-runtime/session/profiles.ts';
import { writeQuantisedCache } from '../../model-runtime/weights/quantised-cache.ts';
import { SafetensorsFile } from '../../model-runtime/weights/safetensors-file.ts';
import {
  fullSizeConfig,
  writeFullSizeCheckpoint,
} from '../fixtures/checkpoints/full-size-checkpoint.ts';
import { cosine } from '../fixtures/qwen3-reference.ts';
import { skipUnless } from '../fixtures/skip.ts';
import { openGraph, someIds } from '../model-runtime/graph/graph-session.ts';
import { scaled } from './scale.ts';

const isWhole = scaled(10) >= 5;
const available = skipUnless(
  isWhole && freemem() >= 5e9,
  isWhole
    ? 'a full-size model needs 5 GB of free memory, and 3 GB on disk'
    : 'a full-size model is left out of a slice of the long lane',
);

available.describe('a full-size router with random weights', () => {
  let folder: string;
  let base: SafetensorsFile;
  const ids = someIds({ folder: '', config: fullSizeConfig, tensors: new Map() }, 96);
  let exact: Float32Array;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trinity-full-size-'));
    const home = await writeFullSizeCheckpoint(join(folder, 'base'));
    base = await SafetensorsFile.open(join(home, 'model.safetensors'));
    exact = (await run('cpu-f32', base.path)).whole;
  }, 600_000);
  afterAll(async () => {
    await base.close();
    await rm(folder, { recursive: true });
  });

  const least: readonly [ProfileId, number][] = [
    ['cpu-8bit', 0.999],
    ['cpu-int8', 0.995],
  ];
  for (const [profile, cosineAtLeast] of least) {
    available.it(`points where f32 points, and the same way in two runs: ${profile}`, async () => {
      const cache = join(folder, `${profile}.safetensors`);
      const { precision } = profiles[profile];
      const spec = { config: fullSizeConfig, weights: [base], precision, sourceDigest: 'test' };
      await writeQuantisedCache(cache, spec);
      const { whole, split } = await run(profile, cache);
      expect(cosine(whole, exact)).toBeGreaterThanOrEqual(cosineAtLeast);
      expect([...split]).toEqual([...whole]);
    });
  }

  async function run(profile: ProfileId, file: string) {
    const checkpoint = { folder, config: fullSizeConfig, tensors: new Map() };
    const { precision } = profiles[profile];
    const session = await openGraph(checkpoint, { precision }, file);
    const { hidden: whole } = await session.run(ids);
    const first = await session.run(ids.slice(0, 64));
    const { hidden: split } = await session.run(ids.slice(64), first.past);
    await session.close();
    return { whole, split };
  }
});
