/**
 * bf16 values as f32, exactly.
 *
 * @param source bit patterns, [n]
 * @param target receives the values, at least n long; a new array when left out
 */
export function bf16ToF32(
  source: Uint16Array,
  target: Float32Array<ArrayBuffer> = new Float32Array(source.length),
): Float32Array<ArrayBuffer> {
  const bits = new Uint32Array(target.buffer, target.byteOffset, source.length);
  for (let i = 0; i < source.length; i += 1) bits[i] = source[i]! << 16;
  return target;
}

/**
 * f32 values rounded to bf16, ties to even. Infinities and the sign of zero stay, a value beyond the
 * largest bf16 becomes infinite, a NaN stays a quiet NaN with its sign and upper payload.
 *
 * @param source values, [n]
 * @param target receives the bit patterns, at least n long; a new array when left out
 *
 * A float64 is rounded through f32 (two roundings), as torch and ml_dtypes do it.
 */
export function f32ToBf16(
  source: Float32Array,
  target: Uint16Array<ArrayBuffer> = new Uint16Array(source.length),
): Uint16Array<ArrayBuffer> {
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length);
  for (let i = 0; i < bits.length; i += 1) {
    const u = bits[i]!;
    // Above the infinity's pattern lies NaN: adding there could carry into the sign.
    const isNaNPattern = (u & 0x7fffffff) > 0x7f800000;
    target[i] = isNaNPattern ? (u >>> 16) | 0x40 : (u + 0x7fff + ((u >>> 16) & 1)) >>> 16;
  }
  return target;
}
