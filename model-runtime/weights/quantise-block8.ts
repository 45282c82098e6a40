/** Columns that share a scale. */
export const block8Size = 128;

/** A matrix in 8-bit blocks, as ONNX Runtime's MatMulNBits takes it. */
export interface Block8Matrix {
  /** [rows, blocks, 128], value = (byte - 128) * scale of its block. */
  readonly weights: Uint8Array<ArrayBuffer>;
  /** [rows * blocks]. */
  readonly scales: Float32Array<ArrayBuffer>;
}

/** Blocks of a row: the last one may be shorter than 128. */
export function block8Count(columns: number): number {
  return Math.ceil(columns / block8Size);
}

/**
 * Quantises a matrix in blocks of 128 columns: scale = max|w| / 127, byte = round(w / scale) + 128. A last
 * block that is shorter is filled with zeros; a block of zeros has scale 1.
 *
 * @param values [rows, columns], row-major, finite
 * @param scales those of `block8Scales`, where they are known already
 */
export function quantiseBlock8(
  values: Float32Array,
  rows: number,
  columns: number,
  scales = block8Scales(values, rows, columns),
): Block8Matrix {
  const blocks = block8Count(columns);
  const weights = new Uint8Array(rows * blocks * block8Size).fill(128);
  for (let row = 0; row < rows; row += 1) {
    for (let block = 0; block < blocks; block += 1) {
      const from = row * columns + block * block8Size;
      const to = Math.min(from + block8Size, (row + 1) * columns);
      const shift = (row * blocks + block) * block8Size - from;
      const steps = 1 / scales[row * blocks + block]!;
      // 128.5 and truncation round to the nearest step: the sum is never negative.
      for (let i = from; i < to; i += 1) weights[i + shift] = values[i]! * steps + 128.5;
    }
  }
  return { weights, scales };
}

/** The scale of each block, [rows * blocks]; NaN or infinite where a value is. */
export function block8Scales(
  values: Float32Array,
  rows: number,
  columns: number,
): Float32Array<ArrayBuffer> {
  const blocks = block8Count(columns);
  const scales = new Float32Array(rows * blocks);
  for (let row = 0; row < rows; row += 1) {
    for (let block = 0; block < blocks; block += 1) {
      const from = row * columns + block * block8Size;
      const to = Math.min(from + block8Size, (row + 1) * columns);
      scales[row * blocks + block] = scaleOf(largestMagnitude(values, from, to), 127);
    }
  }
  return scales;
}

/** max|v| of a range; NaN when one of them is. */
export function largestMagnitude(values: Float32Array, from: number, to: number): number {
  let largest = 0;
  for (let i = from; i < to; i += 1) largest = Math.max(largest, Math.abs(values[i]!));
  return largest;
}

/**
 * f32 step that reaches `largest` in `steps` steps, 1 where all is zero. Magnitudes below 2^-100 count as
 * zero: their step or its reciprocal could leave the range of f32.
 */
export function scaleOf(largest: number, steps: number): number {
  return largest < 2 ** -100 ? 1 : largest / steps;
}
