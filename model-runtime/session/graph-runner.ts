import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { ropeTables, type RopeTables } from '../graph/rope-tables.ts';
import type { RouterGraph } from '../graph/router-graph.ts';
import { RuntimeError, toRuntimeError } from '../runtime-error.ts';
import type { Qwen3Config } from '../weights/qwen3-config.ts';
import type { OnnxRuntime } from './native.ts';
import type { PrefixState } from './prefix-cache.ts';
import type { Profile } from './profiles.ts';

export interface RunnerOptions {
  readonly profile: Profile;
  /** Threads of one operator. */
  readonly threads: number;
}

/** One router graph in ONNX Runtime. A run blocks the event loop: call it in a process of its own. */
export class GraphRunner {
  readonly #ort: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #config: Qwen3Config;
  readonly #stateNames: readonly string[];
  /** As long as the longest transcript so far needed, to the next power of two. */
  #rope: RopeTables = { positions: 0, cos: new Float32Array(0), sin: new Float32Array(0) };

  private constructor(ort: OnnxRuntime, session: InferenceSession, config: Qwen3Config) {
    this.#ort = ort;
    this.#session = session;
    this.#config = config;
    this.#stateNames = Array.from({ length: config.layers }, (_, layer) => [
      `${layer}.key`,
      `${layer}.value`,
    ]).flat();
  }

  /**
   * Loads a graph.
   *
   * @throws RuntimeError `load_failed` with ONNX Runtime's reason
   */
  static async create(
    ort: OnnxRuntime,
    graph: RouterGraph,
    config: Qwen3Config,
    { profile, threads }: RunnerOptions,
  ): Promise<GraphRunner> {
    try {
      const session = await ort.InferenceSession.create(graph.modelBytes, {
        executionProviders: [profile.provider],
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        executionMode: 'sequential',
        graphOptimizationLevel: 'all',
        logSeverityLevel: 3,
        // The arena grows by powers of two; Electron's allocator ends a process at one block of 1 to 2 GiB.
        enableCpuMemArena: false,
        enableMemPattern: false,
        extra: {
          session: {
            model_external_initializers_file_folder_path: graph.externalFolder,
            // Spinning threads take a core each from the rest of the machine between two operators.
            'intra_op.allow_spinning': '0',
          },
        },
      });
      return new GraphRunner(ort, session, config);
    } catch (error) {
      throw toRuntimeError(error, 'load_failed', 'ONNX Runtime could not load the router.');
    }
  }

  /** A transcript of which nothing has been run. */
  emptyState(): PrefixState {
    const empty = { key: new Float32Array(0), value: new Float32Array(0) };
    return { ids: [], layers: Array.from({ length: this.#config.layers }, () => empty) };
  }

  /**
   * Runs tokens after a state.
   *
   * @param want `logits` of the last token, the `state` after it, or both
   * @returns logits [outputs] or null, the new state or null; the given state is not changed
   * @throws RuntimeError `run_failed`
   */
  async run(
    ids: readonly number[],
    state: PrefixState,
    want: { readonly logits: boolean; readonly state: boolean },
  ): Promise<{ readonly logits: number[] | null; readonly state: PrefixState | null }> {
    const fetches = [
      ...(want.logits ? ['logits'] : []),
      ...(want.state ? this.#stateNames.map((name) => `present.${name}`) : []),
    ];
    let outputs: Readonly<Record<string, Tensor>>;
    try {
      outputs = await this.#session.run(this.#feeds(ids, state), fetches);
    } catch (error) {
      throw toRuntimeError(error, 'run_failed', 'ONNX Runtime could not run the router.');
    }
    return {
      logits: want.logits ? Array.from(floats(outputs, 'logits')) : null,
      state: want.state ? this.#stateOf([...state.ids, ...ids], outputs) : null,
    };
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  #feeds(ids: readonly number[], state: PrefixState): Record<string, Tensor> {
    const { Tensor } = this.#ort;
    const { keyValueHeads, headDim } = this.#config;
    const past = state.ids.length;
    const total = past + ids.length;
    const feeds: Record<string, Tensor> = {
      input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]),
      last_position: new Tensor('int32', Int32Array.of(total - 1), [1]),
      total_length: new Tensor('int32', Int32Array.of(total), []),
      ...this.#ropeFeeds(total),
    };
    const shape = [1, keyValueHeads, past, headDim];
    state.layers.forEach(({ key, value }, layer) => {
      feeds[`past.${layer}.key`] = new Tensor('float32', key, shape);
      feeds[`past.${layer}.value`] = new Tensor('float32', value, shape);
    });
    return feeds;
  }

  #ropeFeeds(total: number): Record<string, Tensor> {
    const { headDim, ropeTheta } = this.#config;
    if (this.#rope.positions < total) {
      const positions = Math.max(512, 2 ** Math.ceil(Math.log2(total)));
      this.#rope = ropeTables(positions, headDim, ropeTheta);
    }
    const { positions, cos, sin } = this.#rope;
    const shape = [positions, headDim / 2];
    const { Tensor } = this.#ort;
    return {
      rope_cos: new Tensor('float32', cos, shape),
      rope_sin: new Tensor('float32', sin, shape),
    };
  }

  #stateOf(ids: readonly number[], outputs: Readonly<Record<string, Tensor>>): PrefixState {
    return {
      ids,
      layers: Array.from({ length: this.#config.layers }, (_, layer) => ({
        key: floats(outputs, `present.${layer}.key`),
        value: floats(outputs, `present.${layer}.value`),
      })),
    };
  }
}

function floats(outputs: Readonly<Record<string, Tensor>>, name: string): Float32Array {
  const data = outputs[name]?.data;
  if (data instanceof Float32Array) return data;
  throw new RuntimeError('run_failed', `ONNX Runtime gave no ${name}.`);
}
