/** Cosines and sines of rotary positions, each [positions, headDim / 2], row-major. */
export interface RopeTables {
  readonly positions: number;
  readonly cos: Float32Array<ArrayBuffer>;
  readonly sin: Float32Array<ArrayBuffer>;
}

/**
 * Rotary tables: position p, pair i turns by p * theta^(-2i / headDim). Computed in float64 and rounded
 * once, so that late positions are as exact as early ones.
 *
 * Source: RoFormer (Su et al., 2021), equation 15, in the half-split layout of Qwen3.
 */
export function ropeTables(positions: number, headDim: number, theta: number): RopeTables {
  const half = headDim / 2;
  const frequencies = Array.from({ length: half }, (_, i) => theta ** ((-2 * i) / headDim));
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let position = 0; position < positions; position += 1) {
    frequencies.forEach((frequency, i) => {
      cos[position * half + i] = Math.cos(position * frequency);
      sin[position * half + i] = Math.sin(position * frequency);
    });
  }
  return { positions, cos, sin };
}
