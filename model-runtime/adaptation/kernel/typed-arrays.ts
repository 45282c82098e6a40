import type { GrowingMemory, Machine } from './machine.ts';
import { eigenOperations } from './typed-arrays-eigen.ts';

/**
 * The kernel's operations in plain typed arrays: the fallback where WebAssembly SIMD is missing, and the
 * oracle of the kernel's tests. The same additions in the same order as the .as files, four to five times
 * slower.
 */
export function typedArrayMachine(): Machine {
  const memory: GrowingMemory = { bytes: new ArrayBuffer(0), f64: new Float64Array(0) };
  const single = new Float32Array(1);
  const singleBits = new Uint32Array(single.buffer);
  const widen = (count: number, out: number, bitsOf: (index: number) => number): number => {
    let bad = -1;
    for (let i = 0; i < count; i++) {
      singleBits[0] = bitsOf(i);
      memory.f64[out / 8 + i] = single[0]!;
      if (bad < 0 && !Number.isFinite(single[0]!)) bad = i;
    }
    return bad;
  };
  return {
    name: 'typed-arrays',
    reserve: (bytes) => {
      if (memory.bytes.byteLength < bytes) {
        memory.bytes = memory.bytes.transfer(Math.ceil(bytes / 64) * 64);
        memory.f64 = new Float64Array(memory.bytes);
      }
      return memory.bytes;
    },
    widenBf16: (source, count, out) => {
      const bits = new Uint16Array(memory.bytes, source, count);
      return widen(count, out, (i) => bits[i]! << 16);
    },
    widenF32: (source, count, out) => {
      const bits = new Uint32Array(memory.bytes, source, count);
      return widen(count, out, (i) => bits[i]!);
    },
    roundF32: (source, count, scale, out) => {
      const values = new Float32Array(memory.bytes, out, count);
      const from = memory.f64.subarray(source / 8);
      let bad = -1;
      for (let i = 0; i < count; i++) {
        values[i] = scale * from[i]!;
        if (bad < 0 && !Number.isFinite(values[i]!)) bad = i;
      }
      return bad;
    },
    roundBf16: (source, count, scale, out) => {
      const target = new Uint16Array(memory.bytes, out, count);
      const from = memory.f64.subarray(source / 8);
      let bad = -1;
      for (let i = 0; i < count; i++) {
        single[0] = scale * from[i]!;
        const bits = singleBits[0]!;
        target[i] = (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
        if (bad < 0 && (!Number.isFinite(single[0]) || (target[i]! & 0x7f80) === 0x7f80)) bad = i;
      }
      return bad;
    },
    packColumns: (source, rows, columns, stride, factors, tiles) =>
      packColumns(memory.f64, source / 8, rows, columns, stride, factors / 8, tiles / 8),
    packRows: (source, rows, columns, stride, tiles) =>
      packRows(memory.f64, source / 8, rows, columns, stride, tiles / 8),
    multiply: (a, tilesA, b, tilesB, rows, c, upper) =>
      multiply(memory.f64, a / 8, tilesA, b / 8, tilesB, rows, c / 8, upper !== 0),
    ...eigenOperations(memory),
  };
}

function packColumns(
  m: Float64Array,
  source: number,
  rows: number,
  columns: number,
  stride: number,
  factors: number,
  tiles: number,
): void {
  for (let row = 0; row < rows; row++) {
    const factor = factors === 0 ? 1 : m[factors + row]!;
    for (let column = 0; column < Math.ceil(columns / 4) * 4; column++) {
      const value = column < columns ? m[source + row * stride + column]! * factor : 0;
      m[tiles + (column >> 2) * rows * 4 + row * 4 + (column & 3)] = value;
    }
  }
}

function packRows(
  m: Float64Array,
  source: number,
  rows: number,
  columns: number,
  stride: number,
  tiles: number,
): void {
  for (let row = 0; row < Math.ceil(rows / 4) * 4; row++) {
    for (let column = 0; column < columns; column++) {
      const value = row < rows ? m[source + row * stride + column]! : 0;
      m[tiles + (row >> 2) * columns * 4 + column * 4 + (row & 3)] = value;
    }
  }
}

function multiply(
  m: Float64Array,
  a: number,
  tilesA: number,
  b: number,
  tilesB: number,
  rows: number,
  c: number,
  upper: boolean,
): void {
  for (let i = 0; i < tilesA; i++) {
    for (let j = upper ? i : 0; j < tilesB; j++) {
      const tileA = a + i * rows * 4;
      const tileB = b + j * rows * 4;
      for (let u = 0; u < 4; u++) {
        tileRow(m, tileA + u, tileB, rows, c + (i * 4 + u) * tilesB * 4 + j * 4);
      }
    }
  }
}

/** One row of a tile product: four sums at a time, so that they stay in registers. */
function tileRow(m: Float64Array, a: number, b: number, rows: number, c: number): void {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let row = 0; row < rows * 4; row += 4) {
    const value = m[a + row]!;
    s0 += value * m[b + row]!;
    s1 += value * m[b + row + 1]!;
    s2 += value * m[b + row + 2]!;
    s3 += value * m[b + row + 3]!;
  }
  m[c] = m[c]! + s0;
  m[c + 1] = m[c + 1]! + s1;
  m[c + 2] = m[c + 2]! + s2;
  m[c + 3] = m[c + 3]! + s3;
}
