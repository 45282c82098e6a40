import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrecisionMap } from '../../../contracts/profiles.ts';
import {
  buildRouterGraph,
  type RouterGraphSpec,
} from '../../../model-runtime/graph/router-graph.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import { gaussian } from '../../fixtures/checkpoints/gaussian.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
  type CheckpointShape,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';
import { lookUp, qwen3Forward, relativeDistance, times } from '../../fixtures/qwen3-reference.ts';
import { GraphSession } from './graph-session.ts';

const f32: PrecisionMap = { default: 'f32', projections: {}, exceptions: {} };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-graph-'));
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
  'a larger epsilon and a smaller theta': { ...smallShape, rmsNormEps: 1e-3, ropeTheta: 1e4 },
};

describe('the f32 graph against a float64 forward', () => {
  for (const [name, shape] of Object.entries(shapes)) {
    it(`agrees within 3e-6 for ${name}`, async () => {
      const checkpoint = await writeQwen3Checkpoint(join(folder, name), shape, 7);
      const ids = someIds(checkpoint, 23);
      const session = await openSession(checkpoint);
      const { hidden, logits } = await session.run(ids);
      await session.close();
      const expected = qwen3Forward(shape, checkpoint.tensors, lookUp(checkpoint.tensors, ids)).at(
        -1,
      )!;
      expect(relativeDistance(hidden, expected)).toBeLessThanOrEqual(3e-6);
      const head = {
        shape: [10, shape.hiddenSize],
        values: Float64Array.from(headOf(shape.hiddenSize)),
      };
      expect(relativeDistance(logits, times(head, expected))).toBeLessThanOrEqual(3e-6);
    });
  }
});

function headOf(hiddenSize: number): Float32Array {
  const next = gaussian(99);
  return Float32Array.from({ length: 10 * hiddenSize }, () => next() / Math.sqrt(hiddenSize));
}

function someIds({ config }: Checkpoint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * i * 31 + 5 * i + 1) % config.vocabSize);
}

async function openSession(
  { folder: home, config }: Checkpoint,
  changes: Partial<RouterGraphSpec> = {},
): Promise<GraphSession> {
  const base = await SafetensorsFile.open(join(home, 'model.safetensors'));
  try {
    const graph = await buildRouterGraph({
      config,
      weights: [base],
      head: {
        spec: { kind: 'linear', shape: [10, config.hiddenSize] },
        weights: headOf(config.hiddenSize),
      },
      precision: f32,
      maxPositions: 256,
      ...changes,
    });
    return await GraphSession.create(graph, config);
  } finally {
    await base.close();
  }
}
