import type { Eigensystem } from './eigen.ts';
import { mirrored } from './gram.ts';
import { blockRows, f64, Layout, type Machine } from './kernel/machine.ts';

/**
 * M = V diag(f) Vᵀ, the matrix that scales singular values without the left vectors: with the right singular
 * vectors V of W, W M = U diag(S f) Vᵀ.
 *
 * @param vectors [n, n], row i is the i-th singular vector
 * @param factors f, [n], in the same order
 * @returns [n, n], symmetric to the bit
 *
 * A change of sign of any vector, or of the order of vectors and factors together, changes nothing but the
 * order of the additions.
 */
export function combine(
  machine: Machine,
  vectors: Eigensystem['vectors'],
  factors: Float64Array,
): Float64Array<ArrayBuffer> {
  const n = factors.length;
  const tiles = Math.ceil(n / 4);
  const padded = tiles * 4;
  const layout = new Layout();
  const sum = layout.region(padded * padded * 8);
  const rowsAt = layout.region(blockRows * n * 8);
  const factorsAt = layout.region(blockRows * 8);
  const plain = layout.region(blockRows * padded * 8);
  const scaled = layout.region(blockRows * padded * 8);
  const memory = machine.reserve(layout.bytes);
  const total = f64(memory, sum, padded * padded).fill(0);
  for (let first = 0; first < n; first += blockRows) {
    const rows = Math.min(blockRows, n - first);
    f64(memory, rowsAt, rows * n).set(vectors.subarray(first * n, (first + rows) * n));
    f64(memory, factorsAt, rows).set(factors.subarray(first, first + rows));
    machine.packColumns(rowsAt, rows, n, n, 0, plain);
    machine.packColumns(rowsAt, rows, n, n, factorsAt, scaled);
    machine.multiply(plain, tiles, scaled, tiles, rows, sum, 1);
  }
  return mirrored(total, n, padded);
}
