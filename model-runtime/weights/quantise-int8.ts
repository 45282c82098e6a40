import { largestMagnitude, scaleOf } from './quantise-block8.ts';

/**
 * Largest weight step of the row-wise form: AVX2 adds two products of a byte (0 to 255) and a weight in
 * 16 bits, and 2 x 255 x 64 = 32,640 is the most that does not saturate there. Processors with wider sums then
 * give the same numbers.
 */
export const int8Steps = 64;

/** A matrix in int8 by output, transposed as ONNX's MatMulInteger takes it. */
export interface Int8Matrix {
  /** [columns, rows], value = step * scale of its row. */
  readonly weights: Int8Array<ArrayBuffer>;
  /** [rows]: one for each output. */
  readonly scales: Float32Array<ArrayBuffer>;
}

/**
 * Quantises a checkpoint matrix [outputs, inputs] with one scale for each output: scale = max|w| / 64. An
 * output of zeros has scale 1.
 *
 * @param values [rows, columns], row-major, finite
 * @param scales those of `int8Scales`, where they are known already
 */
export function quantiseInt8(
  values: Float32Array,
  rows: number,
  columns: number,
  scales = int8Scales(values, rows, columns),
): Int8Matrix {
  const weights = new Int8Array(rows * columns);
  const steps = Float64Array.from(scales, (scale) => 1 / scale);
  // 64 rows at a time, so that the strips read and written stay in the processor's cache.
  const band = 64;
  for (let top = 0; top < rows; top += band) {
    const bottom = Math.min(top + band, rows);
    for (let column = 0; column < columns; column += 1) {
      for (let row = top; row < bottom; row += 1) {
        weights[column * rows + row] = Math.round(values[row * columns + column]! * steps[row]!);
      }
    }
  }
  return { weights, scales };
}

/** The scale of each row, [rows]; NaN or infinite where a value is. */
export function int8Scales(
  values: Float32Array,
  rows: number,
  columns: number,
): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: rows }, (_, row) => {
    const from = row * columns;
    return scaleOf(largestMagnitude(values, from, from + columns), int8Steps);
  });
}
