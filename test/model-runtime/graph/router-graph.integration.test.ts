import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeadSpec } from '../../../contracts/manifest.ts';
import type { InlineTensor } from '../../../model-runtime/graph/graph-weights.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
  type CheckpointShape,
  type CheckpointTensor,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';
import { gaussian } from '../../fixtures/checkpoints/gaussian.ts';
import { lookUp, qwen3Forward, relativeDistance, times } from '../../fixtures/qwen3-reference.ts';
import { linear, linearHead, openGraph, someIds } from './graph-session.ts';

let folder: string;
let small: Checkpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-graph-'));
  small = await writeQwen3Checkpoint(join(folder, 'small'), smallShape, 7);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const shapes: Record<string, CheckpointShape> = {
  'four layers of four heads on two': smallShape,
  'a single layer': { ...smallShape, layers: 1 },
  'as many key heads as query heads': { ...smallShape, layers: 2, keyValueHeads: 4 },
  'six query heads on one key head': { ...smallShape, layers: 2, queryHeads: 6, keyValueHeads: 1 },
  'head_dim that is not hidden / heads': { ...smallShape, layers: 2, hiddenSize: 40, headDim: 48 },
  'head_dim 128': { ...smallShape, layers: 2, queryHeads: 2, keyValueHeads: 1, headDim: 128 },
  'sizes that no kernel likes': { ...smallShape, layers: 2, hiddenSize: 37, feedForwardSize: 53 },
  'a larger epsilon and a smaller theta': { ...smallShape, rmsNormEps: 1e-3, ropeTheta: 1e4 },
};

describe('the f32 graph against a float64 forward', () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`agrees within 3e-6 for ${name}`, async () => {
      const checkpoint = await writeQwen3Checkpoint(join(folder, name), shape, 7);
      const ids = someIds(checkpoint, 23);
      const { hidden, logits } = await runOnce(checkpoint, ids);
      const expected = hiddenOf(checkpoint, ids);
      expect(relativeDistance(hidden, expected)).toBeLessThanOrEqual(3e-6);
      const head = matrixOf(linearHead(shape.hiddenSize), shape.hiddenSize);
      expect(relativeDistance(logits, times(head, expected))).toBeLessThanOrEqual(3e-6);
    });
  }

  it('agrees for a single token and for positions far from the start', async () => {
    const session = await openGraph(small);
    const ids = someIds(small, 330);
    const first = await session.run(ids.slice(0, 1));
    const all = await session.run(ids);
    await session.close();
    expect(relativeDistance(first.hidden, hiddenOf(small, ids.slice(0, 1)))).toBeLessThan(3e-6);
    expect(relativeDistance(all.hidden, hiddenOf(small, ids))).toBeLessThan(3e-6);
  });
});

describe('keys and values of earlier tokens', () => {
  it('give the last token the same vector as reading all tokens again', async () => {
    const ids = someIds(small, 50);
    const session = await openGraph(small);
    const whole = await session.run(ids);
    const first = await session.run(ids.slice(0, 30));
    const second = await session.run(ids.slice(30, 44), first.past);
    const third = await session.run(ids.slice(44), second.past);
    await session.close();
    expect([...third.hidden]).toEqual([...whole.hidden]);
    expect([...third.logits]).toEqual([...whole.logits]);
  });

  it('are there for every token although the last layer computes only the last one', async () => {
    const session = await openGraph(small);
    const { past } = await session.run(someIds(small, 9));
    await session.close();
    expect(Object.keys(past)).toHaveLength(8);
    for (const tensor of Object.values(past)) expect(tensor.dims).toEqual([1, 2, 9, 16]);
  });
});

describe('the position that is read', () => {
  it('is not changed by tokens after it', async () => {
    const ids = someIds(small, 20);
    const expected = qwen3Forward(small.config, small.tensors, lookUp(small.tensors, ids)).at(-2)!;
    const { hidden } = await runOnce(small, ids.slice(0, -1));
    expect(relativeDistance(hidden, expected)).toBeLessThan(3e-6);
  });
});

describe('an embedding map', () => {
  it('gives what a table multiplied by it beforehand gives', async () => {
    const next = gaussian(3);
    const size = smallShape.hiddenSize;
    const map = Float32Array.from({ length: size * size }, (_, i) => {
      const isDiagonal = i % (size + 1) === 0;
      return (isDiagonal ? 1.05 : 0) + (0.1 * next()) / Math.sqrt(size);
    });
    const ids = someIds(small, 17);
    const { hidden } = await runOnce(small, ids, { embeddingMap: map });
    // Row vector times M, that is Mᵀ x: M transposed, so that `times` multiplies from the left.
    const transposed = Float64Array.from(
      map,
      (_, i) => map[(i % size) * size + Math.floor(i / size)]!,
    );
    const mapped = lookUp(small.tensors, ids).map((x) =>
      times({ shape: [size, size], values: transposed }, x),
    );
    const expected = qwen3Forward(small.config, small.tensors, mapped).at(-1)!;
    expect(relativeDistance(hidden, expected)).toBeLessThanOrEqual(1e-4);
    const { hidden: without } = await runOnce(small, ids);
    expect(relativeDistance(without, expected)).toBeGreaterThan(1e-3);
  });
});

describe('adapted layer tensors', () => {
  const name = 'model.layers.2.mlp.up_proj.weight';
  const doubled = (): CheckpointTensor => {
    const { shape, values } = small.tensors.get(name)!;
    return { shape, values: values.map((value, i) => value * (i % 3)) };
  };

  for (const dtype of ['F32', 'BF16'] as const) {
    it(`take the place of the base's when they are ${dtype}`, async () => {
      const tensors = new Map(small.tensors).set(name, doubled());
      const ids = someIds(small, 12);
      const expected = qwen3Forward(small.config, tensors, lookUp(tensors, ids)).at(-1)!;
      const adapted = new Map([[name, inline(doubled(), dtype)]]);
      const { hidden } = await runOnce(small, ids, { adapted });
      expect(relativeDistance(hidden, expected)).toBeLessThanOrEqual(dtype === 'F32' ? 3e-6 : 1e-2);
    });
  }

  it('are refused in another shape', async () => {
    const wrong = inline({ shape: [64, 192], values: doubled().values }, 'F32');
    await expect(openGraph(small, { adapted: new Map([[name, wrong]]) })).rejects.toMatchObject({
      code: 'wrong_shape',
      message: expect.stringContaining(name),
    });
  });
});

describe('router heads in the graph', () => {
  const size = smallShape.hiddenSize;
  const heads: Record<string, { spec: HeadSpec; blocks: [rows: number[], columns: number[]][] }> = {
    'block-diagonal with uneven blocks': {
      spec: { kind: 'block-diagonal', blocks: 3, shape: [10, size] },
      blocks: [
        [range(0, 4), range(0, 22)],
        [range(4, 7), range(22, 43)],
        [range(7, 10), range(43, 64)],
      ],
    },
    'sparse over the first 5 features': {
      spec: { kind: 'sparse', k: 5, shape: [10, size] },
      blocks: [[range(0, 10), range(0, 5)]],
    },
  };
  for (const [name, { spec, blocks }] of Object.entries(heads)) {
    it(`compute W h for a ${name} head`, async () => {
      const next = gaussian(5);
      const dense = new Float64Array(10 * size);
      const weights: number[] = [];
      for (const [rows, columns] of blocks) {
        for (const row of rows) {
          for (const column of columns) {
            weights.push(Math.fround(next()));
            dense[row * size + column] = weights.at(-1)!;
          }
        }
      }
      const head = { spec, weights: Float32Array.from(weights) };
      const { hidden, logits } = await runOnce(small, someIds(small, 8), { head });
      const expected = times({ shape: [10, size], values: dense }, Float64Array.from(hidden));
      expect(relativeDistance(logits, expected)).toBeLessThan(1e-6);
    });
  }

  it('compute a toy head of five outputs on a hidden state of eight', async () => {
    const shape = { ...smallShape, hiddenSize: 8, layers: 1, headDim: 16, feedForwardSize: 16 };
    const toy = await writeQwen3Checkpoint(join(folder, 'toy'), shape, 2);
    const weights = Float32Array.from({ length: 40 }, (_, i) => (i % 7) - 3);
    const head = { spec: linear(5, 8), weights };
    const { logits } = await runOnce(toy, [1, 2, 3], { head });
    const matrix = { shape: [5, 8], values: Float64Array.from(weights) };
    expect(relativeDistance(logits, times(matrix, hiddenOf(toy, [1, 2, 3])))).toBeLessThan(3e-6);
  });

  it('are refused when their width is not the hidden size', async () => {
    const head = { spec: linear(10, 32), weights: new Float32Array(320) };
    await expect(openGraph(small, { head })).rejects.toMatchObject({ code: 'wrong_shape' });
  });
});

describe('weights behind links', () => {
  it('are read where they are, under the name that they have there', async () => {
    const snapshot = join(folder, 'snapshots', 'main');
    await mkdir(snapshot, { recursive: true });
    const link = join(snapshot, 'model.safetensors');
    await symlink(join(small.folder, 'model.safetensors'), link);
    const session = await openGraph(small, {}, link);
    expect((await session.run([1, 2])).hidden).toHaveLength(64);
    await session.close();
  });
});

describe('weights that a graph cannot be built from', () => {
  it('are refused when they lie in several folders', async () => {
    const other = await writeQwen3Checkpoint(join(folder, 'other'), smallShape, 8);
    const files = await Promise.all(
      [small, other].map((at) => SafetensorsFile.open(join(at.folder, 'model.safetensors'))),
    );
    await expect(openGraph(small, { weights: files })).rejects.toMatchObject({
      code: 'several_folders',
    });
    for (const file of files) await file.close();
  });

  it('are refused when a tensor is absent, by its name', async () => {
    const deeper = { ...small, config: { ...small.config, layers: 5 } };
    await expect(openGraph(deeper)).rejects.toMatchObject({
      code: 'missing_tensor',
      message: expect.stringContaining('model.layers.4.input_layernorm.weight'),
    });
  });

  it('are refused when a tensor has another shape or type than the configuration says', async () => {
    const wider = { ...small, config: { ...small.config, feedForwardSize: 200 } };
    await expect(openGraph(wider)).rejects.toMatchObject({ code: 'wrong_shape' });
    const block8 = { default: 'block8', projections: {}, exceptions: {} } as const;
    await expect(openGraph(small, { precision: block8 })).rejects.toMatchObject({
      code: 'missing_tensor',
    });
  });

  it('are refused with an embedding map of another size', async () => {
    const embeddingMap = new Float32Array(64 * 63);
    await expect(openGraph(small, { embeddingMap })).rejects.toMatchObject({ code: 'wrong_shape' });
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}

function matrixOf(values: Float32Array, columns: number): CheckpointTensor {
  return { shape: [values.length / columns, columns], values: Float64Array.from(values) };
}

function inline({ shape, values }: CheckpointTensor, dtype: 'F32' | 'BF16'): InlineTensor {
  const f32 = Float32Array.from(values);
  if (dtype === 'F32') return { dtype, shape, bytes: new Uint8Array(f32.buffer) };
  const bits = Uint16Array.from(new Uint32Array(f32.buffer), (pattern) => pattern >>> 16);
  return { dtype, shape, bytes: new Uint8Array(bits.buffer) };
}

function hiddenOf({ config, tensors }: Checkpoint, ids: readonly number[]): Float64Array {
  return qwen3Forward(config, tensors, lookUp(tensors, ids)).at(-1)!;
}

async function runOnce(
  checkpoint: Checkpoint,
  ids: readonly number[],
  changes: Parameters<typeof openGraph>[1] = {},
) {
  const session = await openGraph(checkpoint, changes);
  const result = await session.run(ids);
  await session.close();
  return result;
}
