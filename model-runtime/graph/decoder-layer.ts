import type { PrecisionMap, ProjectionName } from '../../contracts/profiles.ts';
import { precisionOf } from '../weights/precision.ts';
import type { Qwen3Config } from '../weights/qwen3-config.ts';
import type { GraphWeights } from './graph-weights.ts';
import type { OnnxModel, Value } from './onnx-model.ts';
import { addProjection, type MatrixProduct } from './projection.ts';
import { RowQuantisation } from './row-quantisation.ts';

/** Names of the values that all layers read. */
export interface SharedValues {
  /** i32 [1]: tokens in past and run together, minus 1. */
  readonly lastPosition: Value;
  /** i32 scalar: tokens in past and run together. */
  readonly totalLength: Value;
  readonly cos: Value;
  readonly sin: Value;
}

export interface DecoderLayerSpec {
  readonly layer: number;
  readonly config: Qwen3Config;
  readonly precision: PrecisionMap;
  /** Weights of the layer's norms, as constants of the model. */
  readonly norms: { readonly query: Value; readonly key: Value; readonly afterAttention: Value };
  /** Where q and k are normed: by nodes of their own, or inside the attention operator (GPU only). */
  readonly headNorm: 'separate' | 'attention';
  readonly product: MatrixProduct;
  /** True in the last layer: behind the attention only the last token of the run is computed. */
  readonly onlyLastToken: boolean;
}

/** The residual stream after a layer, not yet added: the next norm adds the two. */
export interface LayerOutput {
  readonly residual: Value;
  readonly update: Value;
}

/**
 * Adds one Qwen3 decoder layer: attention with grouped queries, rotary positions and a norm on every head's q
 * and k, then the gated feed-forward.
 *
 * @param normed   input after the layer's input norm, [1, T, hidden]
 * @param residual the stream before that norm, [1, T, hidden]
 * @returns residual and update, [1, T, hidden]; [1, 1, hidden] where only the last token counts. Keys and
 *   values of every token go to the outputs `present.<layer>.key` and `.value` all the same.
 */
export function addDecoderLayer(
  model: OnnxModel,
  weights: GraphWeights,
  spec: DecoderLayerSpec,
  shared: SharedValues,
  normed: Value,
  residual: Value,
): LayerOutput {
  const { hiddenSize, feedForwardSize, queryHeads, headDim } = spec.config;
  const keyValueSize = spec.config.keyValueHeads * headDim;
  const rows = new RowQuantisation(model);
  const project = (
    projection: ProjectionName,
    x: Value,
    outputs: number,
    inputs: number,
  ): Value => {
    const precision = precisionOf(spec.precision, spec.layer, projection);
    const { layer, product } = spec;
    const shape = { layer, projection, outputs, inputs, precision, product };
    return addProjection(model, weights, shape, x, rows);
  };
  const query = project('q_proj', normed, queryHeads * headDim, hiddenSize);
  const key = project('k_proj', normed, keyValueSize, hiddenSize);
  const value = project('v_proj', normed, keyValueSize, hiddenSize);
  const attended = addAttention(model, spec, shared, query, key, value);
  const kept = spec.onlyLastToken ? lastToken(model, attended) : attended;
  const stream = spec.onlyLastToken ? lastToken(model, residual) : residual;
  const mixed = project('o_proj', kept, hiddenSize, queryHeads * headDim);
  const after = addSkipNorm(model, spec.config, stream, mixed, spec.norms.afterAttention);
  const gate = project('gate_proj', after.normed, feedForwardSize, hiddenSize);
  const up = project('up_proj', after.normed, feedForwardSize, hiddenSize);
  // QuickGelu with alpha 1 is x * sigmoid(x), the SiLU of the paper, in one kernel.
  const activated = model.node({
    op: 'QuickGelu',
    domain: 'com.microsoft',
    inputs: [gate],
    attributes: { alpha: { float: 1 } },
  });
  const gated = model.node({ op: 'Mul', inputs: [activated, up] });
  const update = project('down_proj', gated, hiddenSize, feedForwardSize);
  return { residual: after.residual, update };
}

/** RMS norm of x over its last axis. */
export function addNorm(model: OnnxModel, config: Qwen3Config, x: Value, weight: Value): Value {
  return model.node({
    op: 'SimplifiedLayerNormalization',
    inputs: [x, weight],
    attributes: {
      axis: { int: -1 },
      epsilon: { float: config.rmsNormEps },
      stash_type: { int: 1 },
    },
  });
}

/** Adds an update to the residual stream and norms the sum, in one kernel. */
export function addSkipNorm(
  model: OnnxModel,
  config: Qwen3Config,
  residual: Value,
  update: Value,
  weight: Value,
  normedName = `${update}.normed`,
): { normed: Value; residual: Value } {
  const sum = `${update}.sum`;
  const spec = {
    op: 'SkipSimplifiedLayerNormalization',
    domain: 'com.microsoft',
    inputs: [residual, update, weight],
    attributes: { epsilon: { float: config.rmsNormEps } },
  } as const;
  model.nodeWithOutputs(spec, [normedName, '', '', sum]);
  return { normed: normedName, residual: sum };
}

function addAttention(
  model: OnnxModel,
  spec: DecoderLayerSpec,
  shared: SharedValues,
  query: Value,
  key: Value,
  value: Value,
): Value {
  const { config, layer, norms } = spec;
  const isSeparate = spec.headNorm === 'separate';
  const q = isSeparate ? addHeadNorm(model, config, query, config.queryHeads, norms.query) : query;
  const k = isSeparate ? addHeadNorm(model, config, key, config.keyValueHeads, norms.key) : key;
  const own = [q, k, value, `past.${layer}.key`, `past.${layer}.value`];
  const common = [shared.lastPosition, shared.totalLength, shared.cos, shared.sin];
  const insideNorms = isSeparate ? [] : ['', '', '', '', '', norms.query, norms.key];
  const attended = `attended.${layer}`;
  model.nodeWithOutputs(
    {
      op: 'GroupQueryAttention',
      domain: 'com.microsoft',
      inputs: [...own, ...common, ...insideNorms],
      attributes: {
        num_heads: { int: config.queryHeads },
        kv_num_heads: { int: config.keyValueHeads },
        do_rotary: { int: 1 },
        rotary_interleaved: { int: 0 },
        ...(isSeparate ? {} : { qk_norm_epsilon: { float: config.rmsNormEps } }),
      },
    },
    [attended, `present.${layer}.key`, `present.${layer}.value`],
  );
  return attended;
}

/** RMS norm of each head: [1, T, heads * headDim] seen as [1, T, heads, headDim] and back. */
function addHeadNorm(
  model: OnnxModel,
  config: Qwen3Config,
  x: Value,
  heads: number,
  weight: Value,
): Value {
  const apart = BigInt64Array.of(0n, 0n, BigInt(heads), BigInt(config.headDim));
  const toHeads = model.constant(`shape.heads_${heads}`, 'I64', [4], apart);
  const toRows = model.constant('shape.rows', 'I64', [3], BigInt64Array.of(0n, 0n, -1n));
  const split = model.node({ op: 'Reshape', inputs: [x, toHeads] });
  const normed = addNorm(model, config, split, weight);
  return model.node({ op: 'Reshape', inputs: [normed, toRows] });
}

function lastToken(model: OnnxModel, x: Value): Value {
  const last = model.constant('index.last', 'I64', [1], BigInt64Array.of(-1n));
  return model.node({ op: 'Gather', inputs: [x, last], attributes: { axis: { int: 1 } } });
}
