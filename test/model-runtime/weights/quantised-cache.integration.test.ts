import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrecisionMap } from '../../../contracts/profiles.ts';
import {
  isQuantisedCacheOf,
  writeQuantisedCache,
  type QuantisedCacheSpec,
} from '../../../model-runtime/weights/quantised-cache.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import {
  smallShape,
  tensorShapes,
  writeQwen3Checkpoint,
  type Checkpoint,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';

const precision: PrecisionMap = {
  default: 'block8',
  projections: { down_proj: 'f32', v_proj: 'int8row' },
  exceptions: { '2.v_proj': 'block8' },
};

let folder: string;
let checkpoint: Checkpoint;
let base: SafetensorsFile;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-cache-'));
  checkpoint = await writeQwen3Checkpoint(join(folder, 'base'), smallShape, 4);
  base = await SafetensorsFile.open(join(checkpoint.folder, 'model.safetensors'));
});
afterAll(async () => {
  await base.close();
  await rm(folder, { recursive: true });
});

describe('a quantised cache', () => {
  it('holds every projection in its form, and embedding, norms and f32 ones as they were', async () => {
    const cache = await SafetensorsFile.open(await write('forms'));
    const shapeOf = (name: string) => cache.tensors.get(name)?.shape;
    expect(shapeOf('model.layers.0.self_attn.q_proj.weight.block8')).toEqual([64, 1, 128]);
    expect(shapeOf('model.layers.0.mlp.up_proj.weight.block8_scales')).toEqual([192]);
    expect(shapeOf('model.layers.0.self_attn.v_proj.weight.int8')).toEqual([64, 32]);
    expect(shapeOf('model.layers.0.self_attn.v_proj.weight.int8_scales')).toEqual([32]);
    expect(shapeOf('model.layers.2.self_attn.v_proj.weight.block8')).toEqual([32, 1, 128]);
    const untouched = tensorShapes(checkpoint.config).filter(([name]) =>
      /embed|norm|down_proj/.test(name),
    );
    for (const [name] of untouched) expect(await cache.read(name)).toEqual(await base.read(name));
    const quantised = 4 * 6 * 2;
    expect(cache.tensors.size).toBe(untouched.length + quantised);
    await cache.close();
  });

  it('puts every tensor at a multiple of its element’s size', async () => {
    const cache = await SafetensorsFile.open(await write('aligned'));
    const sizes: Record<string, number> = { F32: 4, BF16: 2 };
    const crooked = [...cache.tensors.values()].filter(
      ({ dtype, start }) => start % (sizes[dtype] ?? 1) !== 0,
    );
    expect(crooked).toEqual([]);
    await cache.close();
  });

  it('is the same to the byte when it is made again, and says what it was made from', async () => {
    const first = await write('first');
    const second = await write('second');
    expect((await readFile(first)).equals(await readFile(second))).toBe(true);
    const cache = await SafetensorsFile.open(first);
    expect(isQuantisedCacheOf(cache, precision, 'digest')).toBe(true);
    expect(isQuantisedCacheOf(cache, precision, 'another')).toBe(false);
    expect(isQuantisedCacheOf(cache, { ...precision, exceptions: {} }, 'digest')).toBe(false);
    expect(isQuantisedCacheOf(base, precision, 'digest')).toBe(false);
    await cache.close();
  });

  it('reports progress up to the last tensor', async () => {
    const seen: [number, number][] = [];
    await write('progress', { onProgress: (done, total) => seen.push([done, total]) });
    const [lastDone, total] = seen.at(-1)!;
    expect(lastDone).toBe(total);
    expect(seen.map(([done]) => done)).toEqual(seen.map((_, i) => i + 1));
  });

  it('stops when it is told to and leaves nothing', async () => {
    const stop = new AbortController();
    const onProgress = (done: number): void => {
      if (done === 30) stop.abort(new Error('stopped by the person'));
    };
    await expect(write('stopped', { onProgress, signal: stop.signal })).rejects.toThrow(
      'stopped by the person',
    );
    expect((await readdir(folder)).filter((name) => name.includes('stopped'))).toEqual([]);
  });

  it('is refused for weights that are not finite, by the tensor’s name', async () => {
    const name = 'model.layers.1.mlp.gate_proj.weight';
    const path = join(folder, 'nan.safetensors');
    const values = new Float32Array(192 * 64).fill(0.5);
    values[7000] = Number.NaN;
    await writeSafetensors(path, [{ name, dtype: 'F32', shape: [192, 64], data: bytesOf(values) }]);
    const nan = await SafetensorsFile.open(path);
    await expect(write('refused', { weights: [nan, base] })).rejects.toMatchObject({
      code: 'non_finite',
      message: expect.stringContaining(name),
    });
    await nan.close();
  });
});

async function write(name: string, changes: Partial<QuantisedCacheSpec> = {}): Promise<string> {
  const path = join(folder, `${name}.safetensors`);
  const { config } = checkpoint;
  const spec = { config, weights: [base], precision, sourceDigest: 'digest', ...changes };
  await writeQuantisedCache(path, spec);
  return path;
}
