import type { HeadSpec } from '../../contracts/manifest.ts';
import { GraphError } from './graph-error.ts';

/** Far above 256 agents and their roles; keeps a dense matrix small, whatever a file says. */
const maxOutputs = 1024;
const maxInputs = 65_536;

/** A part of an axis. */
export interface Partition {
  readonly offset: number;
  readonly size: number;
}

/** What a head is made of, for reports. `inputs` and `outputs` belong together, part by part. */
export interface HeadLayout {
  readonly outputs: readonly Partition[];
  readonly inputs: readonly Partition[];
  /** Weights of the head; there is no bias. */
  readonly parameters: number;
}

/**
 * Which inputs reach which outputs of a head with D inputs and O outputs.
 *
 * linear: all, O x D weights. block-diagonal: both axes in B parts (the first `n mod B` parts one longer),
 * part i of the outputs sees part i of the inputs. sparse: all outputs see inputs 0 to k - 1 (a fixed
 * slice, not the largest).
 *
 * @throws GraphError `bad_head` when there are not 1 to 1,024 outputs or 1 to 65,536 inputs, B > D, B > O or k > D
 *
 * Source: TRINITY's coordination head, without its zero biases: 10,240, 1,024 (10 blocks), 5,120 (2
 * blocks) and 1,280 (k = 128) parameters for D = 1,024, O = 10.
 */
export function headLayout(spec: HeadSpec): HeadLayout {
  const [outputs, inputs] = spec.shape;
  requirePositive(outputs, maxOutputs, 'its number of outputs');
  requirePositive(inputs, maxInputs, 'its number of inputs');
  switch (spec.kind) {
    case 'linear':
      return layoutOf([{ offset: 0, size: outputs }], [{ offset: 0, size: inputs }]);
    case 'block-diagonal': {
      requirePositive(spec.blocks, Math.min(outputs, inputs), 'its number of blocks');
      return layoutOf(partition(outputs, spec.blocks), partition(inputs, spec.blocks));
    }
    case 'sparse': {
      requirePositive(spec.k, inputs, 'its k');
      return layoutOf([{ offset: 0, size: outputs }], [{ offset: 0, size: spec.k }]);
    }
  }
}

/**
 * A head's weights as one dense matrix [O, D], zeros where nothing is connected: any head is then one small
 * product.
 *
 * @param weights the blocks one after another, each row-major [outputs, inputs]
 * @throws GraphError `bad_head`; `wrong_shape` when there are not as many weights as the layout has
 */
export function denseHead(spec: HeadSpec, weights: Float32Array): Float32Array<ArrayBuffer> {
  const layout = headLayout(spec);
  if (weights.length !== layout.parameters) {
    throw new GraphError(
      'wrong_shape',
      `The router head has ${weights.length} weights; a ${spec.kind} head of shape ` +
        `[${spec.shape.join()}] has ${layout.parameters}.`,
    );
  }
  const columns = spec.shape[1];
  const dense = new Float32Array(spec.shape[0] * columns);
  let at = 0;
  layout.outputs.forEach((rows, block) => {
    const { offset, size } = layout.inputs[block]!;
    for (let row = rows.offset; row < rows.offset + rows.size; row += 1) {
      dense.set(weights.subarray(at, at + size), row * columns + offset);
      at += size;
    }
  });
  return dense;
}

function layoutOf(outputs: readonly Partition[], inputs: readonly Partition[]): HeadLayout {
  const parameters = outputs.reduce((sum, part, i) => sum + part.size * inputs[i]!.size, 0);
  return { outputs, inputs, parameters };
}

function partition(length: number, parts: number): Partition[] {
  const base = Math.floor(length / parts);
  const longer = length % parts;
  return Array.from({ length: parts }, (_, index) => ({
    offset: index * base + Math.min(index, longer),
    size: base + (index < longer ? 1 : 0),
  }));
}

function requirePositive(value: number, most: number, what: string): void {
  if (Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  const sentence = `The router head gives ${value} as ${what}; it must be from 1 to ${most}.`;
  throw new GraphError('bad_head', sentence);
}
