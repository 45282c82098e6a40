import { blockRows, f64, Layout, type Machine } from './kernel/machine.ts';
import { isWide, rankOf, valueBytes, widenBlock, type MatrixSource } from './matrix.ts';

/** Rows of a segment: the part of a tall matrix whose Gram matrix is one worker's task. */
const segmentRows = 8192;

/** Number of segments of a matrix. A wide one has a single segment. */
export function segmentCount(matrix: { readonly rows: number; readonly columns: number }): number {
  return isWide(matrix) ? 1 : Math.ceil(matrix.rows / segmentRows);
}

/**
 * Gram matrix of one segment, summed in float64: WᵀW over the segment's rows, or WWᵀ for a wide matrix.
 *
 * @param report called with rows (columns of a wide matrix) done
 * @returns [n, n] with n = min(rows, columns), row-major, symmetric to the bit
 * @throws AdaptationError `non_finite` naming the first bad value
 *
 * Blocks of 256 are summed in order within a segment, and segments are added in order by the caller: the
 * result does not depend on the number of workers. f32 sums lose the singular values below 3e-4 of the
 * largest.
 */
export async function gramSegment(
  machine: Machine,
  source: MatrixSource,
  segment: number,
  report: (done: number) => void = () => undefined,
): Promise<Float64Array<ArrayBuffer>> {
  const n = rankOf(source);
  const tiles = Math.ceil(n / 4);
  const padded = tiles * 4;
  const layout = new Layout();
  const sum = layout.region(padded * padded * 8);
  const raw = layout.region(blockRows * n * valueBytes(source.dtype));
  const values = layout.region(blockRows * n * 8);
  const packed = layout.region(blockRows * padded * 8);
  f64(machine.reserve(layout.bytes), sum, padded * padded).fill(0);

  const at = { raw, out: values };
  if (isWide(source)) {
    const bytes = await source.read(0, source.rows);
    for (let first = 0; first < source.columns; first += blockRows) {
      const columns = Math.min(blockRows, source.columns - first);
      const block = { firstRow: 0, rows: n, firstColumn: first, columns };
      widenBlock(machine, source, bytes, block, at);
      machine.packRows(values, n, columns, columns, packed);
      machine.multiply(packed, tiles, packed, tiles, columns, sum, 1);
      report(first + columns);
    }
  } else {
    const start = segment * segmentRows;
    const end = Math.min(source.rows, start + segmentRows);
    for (let first = start; first < end; first += blockRows) {
      const rows = Math.min(blockRows, end - first);
      const block = { firstRow: first, rows, firstColumn: 0, columns: n };
      widenBlock(machine, source, await source.read(first, rows), block, at);
      machine.packColumns(values, rows, n, n, 0, packed);
      machine.multiply(packed, tiles, packed, tiles, rows, sum, 1);
      report(first + rows - start);
    }
  }
  return mirrored(f64(machine.reserve(0), sum, padded * padded), n, padded);
}

/** The symmetric [n, n] matrix whose upper triangle lies in rows of `stride` values. */
export function mirrored(
  upper: Float64Array,
  n: number,
  stride: number,
): Float64Array<ArrayBuffer> {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const value = upper[i * stride + j]!;
      matrix[i * n + j] = value;
      matrix[j * n + i] = value;
    }
  }
  return matrix;
}
