import type { Precision, ProjectionName } from '../../contracts/profiles.ts';
import { projectionTensor } from '../weights/precision.ts';
import { block8Count, block8Size, quantiseBlock8 } from '../weights/quantise-block8.ts';
import { quantiseInt8 } from '../weights/quantise-int8.ts';
import { asF32 } from '../weights/safetensors-file.ts';
import { block8Names, int8Names } from '../weights/quantised-names.ts';
import { castToF32, type GraphWeights, type InlineTensor } from './graph-weights.ts';
import type { OnnxModel, Value } from './onnx-model.ts';
import type { RowQuantisation } from './row-quantisation.ts';

export interface ProjectionSpec {
  readonly layer: number;
  readonly projection: ProjectionName;
  /** Shape of the checkpoint's weight. */
  readonly outputs: number;
  readonly inputs: number;
  readonly precision: Precision;
  readonly product: MatrixProduct;
}

/**
 * How x Wᵀ is written in f32. `fused` reads W as it is stored, with no second copy: CPU and CUDA. `plain`
 * transposes W when the model is loaded: providers without the fused operator, which would otherwise send
 * every product back to the CPU.
 */
export type MatrixProduct = 'fused' | 'plain';

/**
 * Adds y = x Wᵀ for a weight W [outputs, inputs] as checkpoints store it.
 *
 * f32: a product with W transposed, see `MatrixProduct`. block8: MatMulNBits, 8 bits,
 * blocks of 128, int8 arithmetic (accuracy level 4: level 1 unpacks at every run and takes ten times as
 * long). int8row: MatMulInteger on rows quantised each by itself, so that a token's result does not depend
 * on the other tokens of the run; `rows` shares the quantised form among the projections of one x.
 *
 * @param x [1, T, inputs]
 * @returns [1, T, outputs]
 */
export function addProjection(
  model: OnnxModel,
  weights: GraphWeights,
  spec: ProjectionSpec,
  x: Value,
  rows: RowQuantisation,
): Value {
  switch (spec.precision) {
    case 'f32':
      return addF32(model, weights, spec, x);
    case 'block8':
      return addBlock8(model, weights, spec, x);
    case 'int8row':
      return addInt8(model, weights, spec, x, rows);
  }
}

/** x Wᵀ in f32 for a constant W [outputs, inputs]. */
export function addTransposedProduct(
  model: OnnxModel,
  product: MatrixProduct,
  x: Value,
  matrix: Value,
  output?: Value,
): Value {
  if (product === 'plain') {
    const transposed = model.node({
      op: 'Transpose',
      inputs: [matrix],
      attributes: { perm: { ints: [1, 0] } },
    });
    return model.node({ op: 'MatMul', inputs: [x, transposed] }, output);
  }
  const spec = {
    op: 'FusedMatMul',
    domain: 'com.microsoft',
    inputs: [x, matrix],
    attributes: { transA: { int: 0 }, transB: { int: 1 }, alpha: { float: 1 } },
  } as const;
  return model.node(spec, output);
}

function addF32(model: OnnxModel, weights: GraphWeights, spec: ProjectionSpec, x: Value): Value {
  const name = projectionTensor(spec.layer, spec.projection);
  const matrix = weights.matrix(name, [spec.outputs, spec.inputs]);
  return addTransposedProduct(model, spec.product, x, matrix);
}

function addBlock8(model: OnnxModel, weights: GraphWeights, spec: ProjectionSpec, x: Value): Value {
  const { outputs, inputs } = spec;
  const tensor = projectionTensor(spec.layer, spec.projection);
  const names = block8Names(tensor);
  const blocks = block8Count(inputs);
  const shape = [outputs, blocks, block8Size];
  const inline = weights.adapted(tensor, [outputs, inputs]);
  let matrix: Value;
  let scales: Value;
  if (inline === undefined) {
    matrix = weights.cached(names.weights, 'U8', shape);
    scales = weights.cached(names.scales, 'F32', [outputs * blocks]);
  } else {
    const quantised = quantiseBlock8(valuesOf(inline), outputs, inputs);
    matrix = model.constant(names.weights, 'U8', shape, quantised.weights);
    scales = model.constant(names.scales, 'F32', [outputs * blocks], quantised.scales);
  }
  return model.node({
    op: 'MatMulNBits',
    domain: 'com.microsoft',
    inputs: [x, matrix, scales],
    attributes: {
      K: { int: inputs },
      N: { int: outputs },
      bits: { int: 8 },
      block_size: { int: block8Size },
      accuracy_level: { int: 4 },
    },
  });
}

function addInt8(
  model: OnnxModel,
  weights: GraphWeights,
  spec: ProjectionSpec,
  x: Value,
  rows: RowQuantisation,
): Value {
  const { outputs, inputs } = spec;
  const tensor = projectionTensor(spec.layer, spec.projection);
  const names = int8Names(tensor);
  const inline = weights.adapted(tensor, [outputs, inputs]);
  let matrix: Value;
  let scales: Value;
  if (inline === undefined) {
    matrix = weights.cached(names.weights, 'I8', [inputs, outputs]);
    scales = weights.cached(names.scales, 'F32', [outputs]);
  } else {
    const quantised = quantiseInt8(valuesOf(inline), outputs, inputs);
    matrix = model.constant(names.weights, 'I8', [inputs, outputs], quantised.weights);
    scales = model.constant(names.scales, 'F32', [outputs], quantised.scales);
  }
  const { bytes, scale, zero } = rows.of(x);
  const sums = model.node({ op: 'MatMulInteger', inputs: [bytes, matrix, zero] });
  const scaled = model.node({ op: 'Mul', inputs: [castToF32(model, sums), scale] });
  return model.node({ op: 'Mul', inputs: [scaled, scales] });
}

function valuesOf(tensor: InlineTensor): Float32Array {
  return asF32(tensor.bytes, tensor.dtype);
}
