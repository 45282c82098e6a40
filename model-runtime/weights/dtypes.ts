/** Element types of safetensors that are known here, with their sizes in bytes. */
const bytesOf = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
} as const;

/** Element type, by its safetensors name. */
export type Dtype = keyof typeof bytesOf;

/** True for a type name that `elementBytes` knows. */
export function isDtype(name: string): name is Dtype {
  return Object.hasOwn(bytesOf, name);
}

/** Bytes of one element. */
export function elementBytes(dtype: Dtype): number {
  return bytesOf[dtype];
}

/** Number of elements of a shape; 1 for a scalar. Infinity-free for shapes a header check let through. */
export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
