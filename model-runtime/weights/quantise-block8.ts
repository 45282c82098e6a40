/** Columns that share a scale. */
export const block8Size = 128;

/** A matrix in 8-bit blocks, as ONNX Runtime's MatMulNBits takes it. */
export interface Block8Matrix {
  /** [rows, blocks, 128], value = (byte - 128) * scale of its block. */
  readonly weights: Uint8Array<ArrayBuffer>;
  /** [rows * blocks]. */
  readonly scales: Float32Array<ArrayBuffer>;
  readonly blocks: number;
}

/**
 * Quantises a matrix in blocks of 128 columns: scale = max|w| / 127, byte = round(w / scale) + 128.
 * A last block that is shorter is filled with zeros; a block of zeros has scale 1.
 *
 * @param values  [rows, columns], row-major, finite
 */
export function quantiseBlock8(values: Float32Array, rows: number, columns: number): Block8Matrix {
  const blocks = Math.ceil(columns / block8Size);
  const weights = new Uint8Array(rows * blocks * block8Size).fill(128);
  const scales = new Float32Array(rows * blocks);
  for (let row = 0; row < rows; row += 1) {
    for (let block = 0; block < blocks; block += 1) {
      const from = row * columns + block * block8Size;
      const to = Math.min(from + block8Size, (row + 1) * columns);
      let largest = 0;
      for (let i = from; i < to; i += 1) largest = Math.max(largest, Math.abs(values[i]!));
      const scale = Math.fround(largest / 127) || 1;
      scales[row * blocks + block] = scale;
      const target = (row * blocks + block) * block8Size;
      for (let i = from; i < to; i += 1) {
        weights[target + i - from] = Math.min(255, Math.round(values[i]! / scale) + 128);
      }
    }
  }
  return { weights, scales, blocks };
}
