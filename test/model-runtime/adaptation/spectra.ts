import { EVD, Matrix, SingularValueDecomposition } from 'ml-matrix';
import type { MatrixSource } from '../../../model-runtime/adaptation/matrix.ts';

/** A seeded generator of standard normal numbers (mulberry32, Box-Muller). */
export function normal(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Spectra like those of trained weights, and the awkward ones. */
export const spectra = {
  'power law, condition 1e2': (i: number, n: number) => 100 ** (-i / (n - 1)),
  'power law, condition 1e4': (i: number, n: number) => 1e4 ** (-Math.log1p(i) / Math.log(n)),
  flat: (i: number, n: number) => 1 - (0.5 * i) / n,
  'rank-deficient': (i: number, n: number) => (i < 0.75 * n ? 1 / (1 + i) : 0),
  'near-degenerate': (i: number, n: number) =>
    i < n / 2 ? 1 + 1e-7 * (i % 5) : 0.1 / (1 + i - n / 2),
} as const;
export type Spectrum = keyof typeof spectra;

export interface TestMatrix {
  readonly source: MatrixSource;
  /** The stored values, exactly, [rows, columns]. */
  readonly values: Float64Array;
}

/** A matrix of a given spectrum with random singular vectors, stored as f32 or bf16. */
export function matrixOf(
  rows: number,
  columns: number,
  spectrum: Spectrum,
  dtype: 'F32' | 'BF16',
  seed = 1,
): TestMatrix {
  const next = normal(seed);
  const n = Math.min(rows, columns);
  const u = orthonormal(rows, n, next);
  const v = orthonormal(columns, n, next);
  const values = new Float64Array(rows * columns);
  for (let k = 0; k < n; k++) {
    const s = spectra[spectrum](k, n) * 3;
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        values[i * columns + j]! += s * u.get(i, k) * v.get(j, k);
      }
    }
  }
  return storedMatrix('w', rows, columns, values, dtype);
}

/** A matrix source over values rounded to their stored form. */
export function storedMatrix(
  name: string,
  rows: number,
  columns: number,
  wanted: Float64Array,
  dtype: 'F32' | 'BF16',
): TestMatrix {
  const single = Float32Array.from(wanted);
  const bits = new Uint32Array(single.buffer);
  let bytes = new Uint8Array(single.buffer);
  if (dtype === 'BF16') {
    const short = Uint16Array.from(bits, roundedHalf);
    short.forEach((half, i) => (bits[i] = half << 16));
    bytes = new Uint8Array(short.buffer);
  }
  const rowBytes = columns * (dtype === 'BF16' ? 2 : 4);
  return {
    source: {
      name,
      rows,
      columns,
      dtype,
      read: async (first, count) => bytes.slice(first * rowBytes, (first + count) * rowBytes),
    },
    values: Float64Array.from(single),
  };
}

/** Upper half of an f32 pattern, rounded to nearest even by comparing both neighbours' distances. */
export function roundedHalf(bits: number): number {
  const low = bits & 0xffff;
  const half = bits >>> 16;
  if (low > 0x8000) return half + 1;
  if (low < 0x8000) return half;
  return half + (half & 1);
}

/** The adapted matrix by the definition: float64 SVD, scaled, normalised, multiplied out. */
export function oracle(
  matrix: TestMatrix,
  offsets: ArrayLike<number>,
): { readonly adapted: Float64Array; readonly c: number; readonly singular: Float64Array } {
  const { rows, columns } = matrix.source;
  const svd = new SingularValueDecomposition(Matrix.from1DArray(rows, columns, matrix.values), {
    autoTranspose: true,
  });
  const s = Float64Array.from(svd.diagonal);
  const scaled = s.map((value, i) => value * (1 + offsets[i]!));
  const total = (list: Float64Array) => list.reduce((sum, value) => sum + value, 0);
  const c = total(s) / total(scaled);
  const u = svd.leftSingularVectors;
  const v = svd.rightSingularVectors;
  const adapted = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < s.length; k++) sum += u.get(i, k) * scaled[k]! * v.get(j, k);
      adapted[i * columns + j] = sum * c;
    }
  }
  return { adapted, c, singular: s };
}

/** c W M, or c M W for a wide matrix, in plain loops. */
export function applied(matrix: TestMatrix, m: Float64Array, c: number): Float64Array {
  const { rows, columns } = matrix.source;
  const n = Math.min(rows, columns);
  const result = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) {
        sum +=
          rows < columns
            ? m[i * n + k]! * matrix.values[k * columns + j]!
            : matrix.values[i * columns + k]! * m[k * n + j]!;
      }
      result[i * columns + j] = c * sum;
    }
  }
  return result;
}

/** Eigenvalues of a symmetric matrix by ml-matrix, descending. */
export function eigenvaluesByMlMatrix(matrix: Float64Array, n: number): number[] {
  const evd = new EVD(Matrix.from1DArray(n, n, matrix), { assumeSymmetric: true });
  return evd.realEigenvalues.toSorted((a, b) => b - a);
}

/** max |a - b| / max |b| */
export function relativeError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let error = 0;
  let size = 0;
  for (let i = 0; i < b.length; i++) {
    error = Math.max(error, Math.abs(a[i]! - b[i]!));
    size = Math.max(size, Math.abs(b[i]!));
  }
  return error / size;
}

/** Columns that are orthonormal: random ones after two passes of Gram-Schmidt. */
function orthonormal(rows: number, columns: number, next: () => number): Matrix {
  const q = new Matrix(rows, columns);
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) q.set(i, j, next());
    for (let pass = 0; pass < 2; pass++) {
      for (let k = 0; k < j; k++) {
        let along = 0;
        for (let i = 0; i < rows; i++) along += q.get(i, j) * q.get(i, k);
        for (let i = 0; i < rows; i++) q.set(i, j, q.get(i, j) - along * q.get(i, k));
      }
    }
    let length = 0;
    for (let i = 0; i < rows; i++) length += q.get(i, j) ** 2;
    for (let i = 0; i < rows; i++) q.set(i, j, q.get(i, j) / Math.sqrt(length));
  }
  return q;
}
