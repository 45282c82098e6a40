import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HeadSpec } from '../../contracts/manifest.ts';
import type { PrecisionMap } from '../../contracts/profiles.ts';
import type { Qwen3Config } from '../weights/qwen3-config.ts';
import type { SafetensorsFile } from '../weights/safetensors-file.ts';
import {
  addDecoderLayer,
  addNorm,
  addSkipNorm,
  type LayerOutput,
  type SharedValues,
} from './decoder-layer.ts';
import { GraphError } from './graph-error.ts';
import { castToF32, GraphWeights, requireShape, type InlineTensor } from './graph-weights.ts';
import { OnnxModel, type PortSpec, type Value } from './onnx-model.ts';
import { addTransposedProduct, type MatrixProduct } from './projection.ts';
import { denseHead } from './router-head.ts';

/** Changes whenever equal weights could give other numbers: warm sessions and caches are keyed by it. */
export const graphVersion = 1;

const sharedInputs: SharedValues = {
  lastPosition: 'last_position',
  totalLength: 'total_length',
  cos: 'rope_cos',
  sin: 'rope_sin',
};

/** What a router's graph is built from. */
export interface RouterGraphSpec {
  readonly config: Qwen3Config;
  /**
   * Open files with the weights. Their real paths, behind any links, are in ONE folder, because ONNX
   * Runtime reads external data from one. The first file that has a tensor gives it, so an imported embedding
   * stands before the base. Usually `[base]` for f32, `[cache]` for a quantised map: a cache file holds
   * all that its graph reads. They may be closed once the graph is built.
   */
  readonly weights: readonly SafetensorsFile[];
  /** Layer tensors in place of the base's, by checkpoint name. They travel inside the model bytes. */
  readonly adapted?: ReadonlyMap<string, InlineTensor>;
  /** c M, [hidden, hidden] row-major f32: looked-up embeddings are multiplied by it from the right. */
  readonly embeddingMap?: Float32Array;
  /** `weights`: the blocks one after another, row-major, as many as `headLayout(spec).parameters`. */
  readonly head: { readonly spec: HeadSpec; readonly weights: Float32Array };
  readonly precision: PrecisionMap;
  /** `attention` norms q and k inside the attention operator: GPU providers only. Default `separate`. */
  readonly headNorm?: 'separate' | 'attention';
  /** How f32 products are written. Default `fused`; `plain` for WebGPU, DirectML and CoreML. */
  readonly product?: MatrixProduct;
}

/** A model for ONNX Runtime, and what feeding it takes. */
export interface RouterGraph {
  readonly modelBytes: Uint8Array<ArrayBuffer>;
  /** For the session option `session.model_external_initializers_file_folder_path`. */
  readonly externalFolder: string;
  readonly graphVersion: number;
  readonly inputs: readonly PortSpec[];
  readonly outputs: readonly PortSpec[];
}

/**
 * Builds the ONNX model of a router: Qwen3 up to its final norm, and the head, for the LAST token of a run.
 * Attention is causal, so a router that reads token n - 2 feeds tokens 0 to n - 2.
 *
 * Inputs: `input_ids` i64 [1, T]; `last_position` i32 [1] = P + T - 1; `total_length` i32 [] = P + T;
 * `rope_cos` and `rope_sin` f32 [R, headDim / 2] of `ropeTables`, R >= P + T (inputs, because tables for
 * the longest transcript would take tens of megabytes that a usual one never reads); for each layer
 * `past.<i>.key` and `past.<i>.value` f32 [1, kvHeads, P, headDim], P = 0 without a past.
 * Outputs: `hidden` f32 [1, 1, hidden] after the final norm; `logits` f32 [1, 1, outputs], agents first,
 * then roles; `present.<i>.key` and `.value` f32 [1, kvHeads, P + T, headDim] for all tokens.
 *
 * @throws GraphError `wrong_shape`, `bad_head`, `missing_tensor`, `several_folders`; WeightsError when a
 *   file's tensor has another type or shape, or cannot be read
 */
export async function buildRouterGraph(spec: RouterGraphSpec): Promise<RouterGraph> {
  const { config } = spec;
  checkSpec(spec);
  const externalFolder = oneFolder(spec.weights);
  const head = denseHead(spec.head.spec, spec.head.weights);
  const model = new OnnxModel();
  const weights = new GraphWeights(model, spec.weights, spec.adapted ?? new Map());
  const norms = await readNorms(model, weights, config);
  const { inputs, outputs } = portsOf(config, spec.head.spec.shape[0]);
  for (const port of inputs) model.input(port);
  for (const port of outputs) model.output(port);
  let stream: LayerOutput | Value = addEmbedding(model, weights, spec);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const own = norms.layers[layer]!;
    const { normed, residual } = addInputNorm(model, config, stream, own.input);
    const layerSpec = {
      layer,
      config,
      precision: spec.precision,
      norms: own,
      headNorm: spec.headNorm ?? 'separate',
      product: spec.product ?? 'fused',
      onlyLastToken: layer === config.layers - 1,
    };
    stream = addDecoderLayer(model, weights, layerSpec, sharedInputs, normed, residual);
  }
  addHead(model, spec, stream as LayerOutput, norms.final, head);
  return { modelBytes: model.encode(), externalFolder, graphVersion, inputs, outputs };
}

function checkSpec({ config, embeddingMap, head }: RouterGraphSpec): void {
  const { hiddenSize } = config;
  requireShape('The width of the router head', [head.spec.shape[1]], [hiddenSize], 'the router');
  if (embeddingMap !== undefined) {
    const length = hiddenSize * hiddenSize;
    requireShape('The embedding map M', [embeddingMap.length], [length], 'the router');
  }
}

function oneFolder(files: readonly SafetensorsFile[]): string {
  const [folder, another] = new Set(files.map((file) => dirname(realpathSync(file.path))));
  if (folder !== undefined && another === undefined) return folder;
  const paths = files.map((file) => file.path).join(', ');
  throw new GraphError(
    'several_folders',
    `Weights must lie in one real folder; these are: ${paths}.`,
  );
}

function portsOf(config: Qwen3Config, outputCount: number) {
  const cache = (kind: 'past' | 'present', tokens: string): PortSpec[] =>
    Array.from({ length: config.layers }, (_, layer) =>
      (['key', 'value'] as const).map((part) => ({
        name: `${kind}.${layer}.${part}`,
        type: 'F32' as const,
        shape: [1, config.keyValueHeads, tokens, config.headDim],
      })),
    ).flat();
  const inputs: PortSpec[] = [
    { name: 'input_ids', type: 'I64', shape: [1, 'T'] },
    { name: 'last_position', type: 'I32', shape: [1] },
    { name: 'total_length', type: 'I32', shape: [] },
    { name: 'rope_cos', type: 'F32', shape: ['R', config.headDim / 2] },
    { name: 'rope_sin', type: 'F32', shape: ['R', config.headDim / 2] },
    ...cache('past', 'P'),
  ];
  const outputs: PortSpec[] = [
    { name: 'hidden', type: 'F32', shape: [1, 1, config.hiddenSize] },
    { name: 'logits', type: 'F32', shape: [1, 1, outputCount] },
    ...cache('present', 'P+T'),
  ];
  return { inputs, outputs };
}

interface NormValues {
  readonly layers: readonly {
    readonly input: Value;
    readonly query: Value;
    readonly key: Value;
    readonly afterAttention: Value;
  }[];
  readonly final: Value;
}

/** Norm weights are small: they go inline as f32, which saves a cast for each. */
async function readNorms(
  model: OnnxModel,
  weights: GraphWeights,
  config: Qwen3Config,
): Promise<NormValues> {
  const norm = async (name: string, length: number): Promise<Value> =>
    model.constant(name, 'F32', [length], await weights.vector(name, length));
  const layers = [];
  for (let layer = 0; layer < config.layers; layer += 1) {
    const prefix = `model.layers.${layer}`;
    layers.push({
      input: await norm(`${prefix}.input_layernorm.weight`, config.hiddenSize),
      query: await norm(`${prefix}.self_attn.q_norm.weight`, config.headDim),
      key: await norm(`${prefix}.self_attn.k_norm.weight`, config.headDim),
      afterAttention: await norm(`${prefix}.post_attention_layernorm.weight`, config.hiddenSize),
    });
  }
  return { layers, final: await norm('model.norm.weight', config.hiddenSize) };
}

function addEmbedding(model: OnnxModel, weights: GraphWeights, spec: RouterGraphSpec): Value {
  const { vocabSize, hiddenSize } = spec.config;
  // The table stays in its file: looked up first, cast after, so that only the rows asked for are touched.
  const table = weights.stored('model.embed_tokens.weight', [vocabSize, hiddenSize]);
  const rows = castToF32(model, model.node({ op: 'Gather', inputs: [table, 'input_ids'] }));
  if (spec.embeddingMap === undefined) return rows;
  const shape = [hiddenSize, hiddenSize];
  const map = model.constant('embedding_map', 'F32', shape, spec.embeddingMap);
  return model.node({ op: 'MatMul', inputs: [rows, map] });
}

function addInputNorm(
  model: OnnxModel,
  config: Qwen3Config,
  stream: LayerOutput | Value,
  weight: Value,
): { normed: Value; residual: Value } {
  if (typeof stream === 'string') {
    return { normed: addNorm(model, config, stream, weight), residual: stream };
  }
  return addSkipNorm(model, config, stream.residual, stream.update, weight);
}

function addHead(
  model: OnnxModel,
  spec: RouterGraphSpec,
  stream: LayerOutput,
  finalNorm: Value,
  head: Float32Array,
): void {
  const { residual, update } = stream;
  const { normed } = addSkipNorm(model, spec.config, residual, update, finalNorm, 'hidden');
  const matrix = model.constant('router_head', 'F32', spec.head.spec.shape, head);
  addTransposedProduct(model, spec.product ?? 'fused', normed, matrix, 'logits');
}
