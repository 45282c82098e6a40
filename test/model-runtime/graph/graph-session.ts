import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { RouterGraph } from '../../../model-runtime/graph/router-graph.ts';
import type { Qwen3Config } from '../../../model-runtime/weights/qwen3-config.ts';

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
    const feeds = {
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      last_position: new Tensor('int32', Int32Array.of(total - 1), [1]),
      total_length: new Tensor('int32', Int32Array.of(total), []),
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
