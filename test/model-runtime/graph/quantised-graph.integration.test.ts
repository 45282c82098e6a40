import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrecisionMap } from '../../../contracts/profiles.ts';
import type { InlineTensor } from '../../../model-runtime/graph/graph-weights.ts';
import { writeQuantisedCache } from '../../../model-runtime/weights/quantised-cache.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';
import { cosine, lookUp, qwen3Forward } from '../../fixtures/qwen3-reference.ts';
import { openGraph, someIds, type GraphSession } from './graph-session.ts';

const maps = {
  block8: { default: 'block8', projections: {}, exceptions: {} },
  int8row: { default: 'int8row', projections: {}, exceptions: {} },
  mixed: {
    default: 'int8row',
    projections: { down_proj: 'f32', k_proj: 'block8' },
    exceptions: { '1.q_proj': 'f32', '3.down_proj': 'int8row' },
  },
} satisfies Record<string, PrecisionMap>;

let folder: string;
let checkpoint: Checkpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-quantised-'));
  checkpoint = await writeQwen3Checkpoint(join(folder, 'base'), smallShape, 11);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('a graph on a quantised cache', () => {
  const least = { block8: 0.9998, int8row: 0.9998, mixed: 0.9998 };
  for (const name of ['block8', 'int8row', 'mixed'] as const) {
    it(`points where the float64 forward points: ${name}`, async () => {
      const ids = someIds(checkpoint, 40);
      const session = await openQuantised(maps[name]);
      const { hidden } = await session.run(ids);
      await session.close();
      const { config, tensors } = checkpoint;
      const expected = qwen3Forward(config, tensors, lookUp(tensors, ids)).at(-1)!;
      const found = cosine(hidden, expected);
      expect(found).toBeGreaterThanOrEqual(least[name]);
      // Equal to the last digit would mean that nothing was quantised.
      expect(found).toBeLessThan(1 - 1e-9);
    });
  }

  it('reads the same whether rows came in one run or in two: int8row', async () => {
    const ids = someIds(checkpoint, 96);
    const session = await openQuantised(maps.int8row);
    const whole = await session.run(ids);
    const first = await session.run(ids.slice(0, 64));
    const second = await session.run(ids.slice(64), first.past);
    await session.close();
    expect([...second.hidden]).toEqual([...whole.hidden]);
  });

  it('needs no file but the cache: the base may be gone', async () => {
    const own = await writeQwen3Checkpoint(join(folder, 'gone'), smallShape, 12);
    const cache = await writeCache(own, maps.block8);
    await rm(join(own.folder, 'model.safetensors'));
    const session = await openGraph(own, { precision: maps.block8 }, cache);
    expect((await session.run([1, 2, 3])).hidden).toHaveLength(64);
    await session.close();
  });
});

describe('adapted tensors of a quantised graph', () => {
  const name = 'model.layers.1.self_attn.v_proj.weight';
  for (const precision of [maps.block8, maps.int8row]) {
    it(`are quantised like those of the cache: ${precision.default}`, async () => {
      const { shape, values } = checkpoint.tensors.get(name)!;
      const f32 = Float32Array.from(values);
      const same: InlineTensor = { dtype: 'F32', shape, bytes: new Uint8Array(f32.buffer) };
      const ids = someIds(checkpoint, 10);
      const fromCache = await openQuantised(precision);
      const expected = await fromCache.run(ids);
      await fromCache.close();
      const adapted = await openQuantised(precision, new Map([[name, same]]));
      expect([...(await adapted.run(ids)).hidden]).toEqual([...expected.hidden]);
      await adapted.close();
    });
  }
});

async function openQuantised(
  precision: PrecisionMap,
  adapted: ReadonlyMap<string, InlineTensor> = new Map(),
): Promise<GraphSession> {
  return openGraph(checkpoint, { precision, adapted }, await writeCache(checkpoint, precision));
}

async function writeCache({ folder: home, config }: Checkpoint, precision: PrecisionMap) {
  const base = await SafetensorsFile.open(join(home, 'model.safetensors'));
  const path = join(home, 'cache.safetensors');
  await writeQuantisedCache(path, { config, weights: [base], precision, sourceDigest: 'test' });
  await base.close();
  return path;
}
