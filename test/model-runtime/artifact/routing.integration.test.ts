import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { embeddingReadings } from '../../../contracts/manifest.ts';
import { buildRouter } from '../../../model-runtime/artifact/build.ts';
import type { InlineTensor } from '../../../model-runtime/graph/graph-weights.ts';
import { buildRouterGraph } from '../../../model-runtime/graph/router-graph.ts';
import { profiles } from '../../../model-runtime/session/profiles.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import type { CheckpointTensor } from '../../fixtures/checkpoints/qwen3-checkpoint.ts';
import { lookUp, qwen3Forward, relativeDistance, times } from '../../fixtures/qwen3-reference.ts';
import { oracle } from '../adaptation/spectra.ts';
import { GraphSession } from '../graph/graph-session.ts';
import { openWorkbench, toolsFor, type Workbench } from './workbench.ts';

const state: { bench: Workbench } = {} as never;
const ids = [17, 3, 299, 45, 120, 7, 88, 250, 31, 9, 64];

beforeAll(async () => {
  state.bench = await openWorkbench(4);
});
afterAll(() => state.bench.remove());

/** Logits of a built router as the runtime makes them: base file, inline layers, M on the looked-up rows. */
async function routed(directory: string): Promise<Float32Array> {
  const { base } = state.bench;
  const adapted = new Map<string, InlineTensor>();
  const layers = await SafetensorsFile.open(join(directory, 'adapted.safetensors'));
  for (const { name, dtype, shape } of layers.tensors.values()) {
    adapted.set(name, { dtype: dtype as 'F32', shape, bytes: await layers.read(name) });
  }
  await layers.close();
  const weights = await SafetensorsFile.open(join(base.folder, 'model.safetensors'));
  const graph = await buildRouterGraph({
    config: base.config,
    weights: [weights],
    adapted,
    embeddingMap: await sole(join(directory, 'embed_m.safetensors')),
    head: {
      spec: { kind: 'linear', shape: [10, 64] },
      weights: await sole(join(directory, 'router_head.safetensors')),
    },
    precision: profiles['cpu-f32'].precision,
  });
  await weights.close();
  const session = await GraphSession.create(graph, base.config);
  const { logits } = await session.run(ids);
  await session.close();
  return logits;
}

async function sole(path: string): Promise<Float32Array<ArrayBuffer>> {
  const file = await SafetensorsFile.open(path);
  const values = await file.readF32([...file.tensors.keys()][0]!);
  await file.close();
  return values;
}

/** The matrix of the definition, by a float64 SVD. */
function adaptedBySvd(tensor: CheckpointTensor, offsets: readonly number[]): CheckpointTensor {
  const [rows, columns] = tensor.shape as [number, number];
  const read = () => Promise.reject(new Error('the oracle reads no file'));
  const source = { name: '', rows, columns, dtype: 'BF16' as const, read };
  return { ...tensor, values: oracle({ source, values: tensor.values }, offsets).adapted };
}

/** Offsets that scale the embedding under a reading; its two spans are the first and the last. */
function embeddingOffsets(reading: (typeof embeddingReadings)[number]): number[] {
  const { vector } = state.bench;
  const [own, head] = [[...vector.subarray(0, 64)], [...vector.subarray(448, 512)]];
  if (reading === 'untied') return own;
  return reading === 'overwritten' ? head : own.map((d, i) => (1 + d) * (1 + head[i]!) - 1);
}

describe('routing with M on the looked-up embeddings', () => {
  it.each(embeddingReadings)(
    'equals a float64 forward over materialised matrices, embedding %s',
    async (embedding) => {
      const { bench } = state;
      const out = join(bench.folder, embedding);
      const manifest = await buildRouter(
        bench.request({ embedding, dtype: 'F32', out }),
        toolsFor(),
      );
      const tensors = new Map(bench.base.tensors);
      for (const { name, offsets, status } of manifest!.adaptation.tensors) {
        if (status !== 'complete') continue;
        const isEmbedding = name === 'model.embed_tokens.weight';
        const span = isEmbedding
          ? embeddingOffsets(embedding)
          : [...bench.vector.subarray(...offsets)];
        tensors.set(name, adaptedBySvd(tensors.get(name)!, span));
      }
      const hidden = qwen3Forward(bench.base.config, tensors, lookUp(tensors, ids)).at(-1)!;
      const head = {
        shape: [10, 64],
        values: Float64Array.from(bench.vector.subarray(512)),
      };
      const expected = times(head, hidden);
      expect(relativeDistance(await routed(out), expected)).toBeLessThanOrEqual(1e-4);
      const plain = qwen3Forward(
        bench.base.config,
        bench.base.tensors,
        lookUp(bench.base.tensors, ids),
      );
      expect(relativeDistance(times(head, plain.at(-1)!), expected)).toBeGreaterThan(0.01);
    },
  );
});
