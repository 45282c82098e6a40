import { InferenceSession, Tensor } from 'onnxruntime-node';
import { join } from 'node:path';
import type { HeadSpec } from '../../../contracts/manifest.ts';
import { ropeTables } from '../../../model-runtime/graph/rope-tables.ts';
import {
  buildRouterGraph,
  type RouterGraph,
  type RouterGraphSpec,
} from '../../../model-runtime/graph/router-graph.ts';
import type { Qwen3Config } from '../../../model-runtime/weights/qwen3-config.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import { gaussian } from '../../fixtures/checkpoints/gaussian.ts';
import type { Checkpoint } from '../../fixtures/checkpoints/qwen3-checkpoint.ts';

/** Keys and values of the tokens run so far, by the input's name. */
export type Past = Readonly<Record<string, Tensor>>;

export interface GraphRun {
  readonly hidden: Float32Array;
  readonly logits: Float32Array;
  readonly past: Past;
}

/** A graph in ONNX Runtime, fed the plain way. */
export class GraphSession {
  readonly #session: InferenceSession;
  readonly #config: Qwen3Config;

  constructor(session: InferenceSession, config: Qwen3Config) {
    this.#session = session;
    this.#config = config;
  }

  static async create(
    graph: RouterGraph,
    config: Qwen3Config,
    options: InferenceSession.SessionOptions = {},
  ): Promise<GraphSession> {
    const folder = { model_external_initializers_file_folder_path: graph.externalFolder };
    const session = await InferenceSession.create(graph.modelBytes, {
      executionProviders: ['cpu'],
      intraOpNumThreads: 2,
      logSeverityLevel: 3,
      extra: { session: folder },
      ...options,
    });
    return new GraphSession(session, config);
  }

  async run(ids: readonly number[], past: Past = this.noPast()): Promise<GraphRun> {
    const before = past['past.0.key']!.dims[2]!;
    const total = before + ids.length;
    const { headDim, ropeTheta } = this.#config;
    const rope = ropeTables(total, headDim, ropeTheta);
    const feeds = {
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      last_position: new Tensor('int32', Int32Array.of(total - 1), [1]),
      total_length: new Tensor('int32', Int32Array.of(total), []),
      rope_cos: new Tensor('float32', rope.cos, [total, headDim / 2]),
      rope_sin: new Tensor('float32', rope.sin, [total, headDim / 2]),
      ...past,
    };
    const outputs = await this.#session.run(feeds);
    const presents = Object.entries(outputs)
      .filter(([name]) => name.startsWith('present.'))
      .map(([name, tensor]) => [name.replace('present', 'past'), tensor] as const);
    return {
      hidden: outputs['hidden']!.data as Float32Array,
      logits: outputs['logits']!.data as Float32Array,
      past: Object.fromEntries(presents) as Past,
    };
  }

  noPast(): Past {
    const { layers, keyValueHeads, headDim } = this.#config;
    const empty = () => new Tensor('float32', new Float32Array(0), [1, keyValueHeads, 0, headDim]);
    const names = Array.from({ length: layers }, (_, i) => [`past.${i}.key`, `past.${i}.value`]);
    return Object.fromEntries(names.flat().map((name) => [name, empty()]));
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

/** Ten outputs on a hidden state, row-major. */
export function linearHead(hiddenSize: number): Float32Array {
  const next = gaussian(99);
  return Float32Array.from({ length: 10 * hiddenSize }, () => next() / Math.sqrt(hiddenSize));
}

/** A linear head's shape. */
export function linear(outputs: number, inputs: number): HeadSpec {
  return { kind: 'linear', shape: [outputs, inputs] };
}

/** Ids all over the vocabulary, the same at every call. */
export function someIds({ config }: Checkpoint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * i * 31 + 5 * i + 1) % config.vocabSize);
}

/**
 * A session on a checkpoint's router in f32 with a linear head, with what `changes` says otherwise. `file` is
 * the weights file, the checkpoint's own when left out.
 */
export async function openGraph(
  { folder, config }: Checkpoint,
  changes: Partial<RouterGraphSpec> = {},
  file = join(folder, 'model.safetensors'),
  options: InferenceSession.SessionOptions = {},
): Promise<GraphSession> {
  const weights = await SafetensorsFile.open(file);
  try {
    const spec = linear(10, config.hiddenSize);
    const graph = await buildRouterGraph({
      config,
      weights: [weights],
      head: { spec, weights: linearHead(config.hiddenSize) },
      precision: { default: 'f32', projections: {}, exceptions: {} },
      ...changes,
    });
    return await GraphSession.create(graph, config, options);
  } finally {
    await weights.close();
  }
}
