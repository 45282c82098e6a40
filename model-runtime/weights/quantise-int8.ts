/**
 * Largest weight step of the row-wise form. 7 bits and a half, because AVX2 multiplies pairs of
 * (0..255) x weight into 16 bits: 2 x 255 x 64 = 32,640 is the most that does not saturate there. Processors with
 * VNNI then compute the same numbers.
 */
export const int8Steps = 64;

/** A matrix in int8 by output column, transposed as ONNX's MatMulInteger takes it. */
export interface Int8Matrix {
  /** [columns, rows]: value = byte * scale of its row. */
  readonly weights: Int8Array<ArrayBuffer>;
  /** [rows]: one for each output. */
  readonly scales: Float32Array<ArrayBuffer>;
}

/**
 * Quantises a checkpoint matrix [outputs, inputs] with one scale for each output: scale = max|w| / 64. An
 * output of zeros has scale 1.
 *
 * @param values [rows, columns], row-major, finite
 */
export function quantiseInt8(values: Float32Array, rows: number, columns: number): Int8Matrix {
  const weights = new Int8Array(rows * columns);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    const from = row * columns;
    let largest = 0;
    for (let i = 0; i < columns; i += 1) largest = Math.max(largest, Math.abs(values[from + i]!));
    scales[row] = Math.fround(largest / int8Steps) || 1;
  }
  transposeInBands(values, weights, scales, rows, columns);
  return { weights, scales };
}

/** Rounds and transposes 64 rows at a time, so that both matrices stay in the processor's cache. */
function transposeInBands(
  values: Float32Array,
  weights: Int8Array,
  scales: Float32Array,
  rows: number,
  columns: number,
): void {
  const band = 64;
  for (let top = 0; top < rows; top += band) {
    const bottom = Math.min(top + band, rows);
    for (let column = 0; column < columns; column += 1) {
      for (let row = top; row < bottom; row += 1) {
        const steps = Math.round(values[row * columns + column]! / scales[row]!);
        weights[column * rows + row] = Math.max(-int8Steps, Math.min(int8Steps, steps));
      }
    }
  }
}
