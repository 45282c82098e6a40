import type { OnnxModel, Value } from './onnx-model.ts';

/** Rows of activations as bytes: value = (byte - 128) * scale of its row. */
export interface QuantisedRows {
  /** u8 [1, T, K], from 1 to 255. */
  readonly bytes: Value;
  /** f32 [1, T, 1]. */
  readonly scale: Value;
  /** The zero point 128. */
  readonly zero: Value;
}

/**
 * Adds the quantisation of activations row by row: scale = max|x| / 127, byte = round(x / scale) + 128.
 * Each x is quantised once, however many projections read it.
 */
export class RowQuantisation {
  readonly #model: OnnxModel;
  readonly #done = new Map<Value, QuantisedRows>();

  constructor(model: OnnxModel) {
    this.#model = model;
  }

  of(x: Value): QuantisedRows {
    const known = this.#done.get(x);
    if (known !== undefined) return known;
    const added = this.#add(x);
    this.#done.set(x, added);
    return added;
  }

  #add(x: Value): QuantisedRows {
    const model = this.#model;
    const zero = model.constant('row.zero', 'U8', [], Uint8Array.of(128));
    const zeroF32 = model.constant('row.zero_f32', 'F32', [], Float32Array.of(128));
    const steps = model.constant('row.steps', 'F32', [], Float32Array.of(127));
    // A row of zeros must not divide by zero: its scale is the smallest that counts.
    const least = model.constant('row.least', 'F32', [], Float32Array.of(1e-30));
    const lastAxis = model.constant('row.axis', 'I64', [1], BigInt64Array.of(-1n));
    const magnitudes = model.node({ op: 'Abs', inputs: [x] });
    const largest = model.node({
      op: 'ReduceMax',
      inputs: [magnitudes, lastAxis],
      attributes: { keepdims: { int: 1 } },
    });
    const floored = model.node({ op: 'Max', inputs: [largest, least] });
    const scale = model.node({ op: 'Div', inputs: [floored, steps] });
    const ratio = model.node({ op: 'Div', inputs: [x, scale] });
    const rounded = model.node({ op: 'Round', inputs: [ratio] });
    const shifted = model.node({ op: 'Add', inputs: [rounded, zeroF32] });
    const bytes = model.node({ op: 'Cast', inputs: [shifted], attributes: { to: { int: 2 } } });
    return { bytes, scale, zero };
  }
}
