import { AdaptationError } from './adaptation-error.ts';
import { blockRows, f64, Layout, type Machine } from './kernel/machine.ts';
import {
  isWide,
  rankOf,
  valueBytes,
  widenBlock,
  type MatrixDtype,
  type MatrixSource,
} from './matrix.ts';

/** Rows of a tall matrix that are multiplied at a time. */
const stripRows = 64;

/** What a matrix is multiplied with: W' = c W M, or c M W for a wide one. */
export interface Adaptation {
  /** [n, n] with n = min(rows, columns), symmetric. */
  readonly m: Float64Array;
  readonly c: number;
}

/**
 * Adapted rows of a tall or square matrix: c W M, rounded to nearest even; bf16 by way of f32, so that the
 * bf16 file is the rounded f32 file.
 *
 * @param rows half-open range of rows
 * @returns little-endian bytes, [rows, columns]
 * @throws AdaptationError `non_finite` for a weight or a result that is not finite
 */
async function adaptRows(
  machine: Machine,
  source: MatrixSource,
  adaptation: Adaptation,
  rows: { readonly first: number; readonly end: number },
  dtype: MatrixDtype,
  report: (done: number) => void = () => undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const n = source.columns;
  const tiles = Math.ceil(n / 4);
  const padded = tiles * 4;
  const layout = new Layout();
  const m = layout.region(n * padded * 8);
  const raw = layout.region(blockRows * n * 4);
  const values = layout.region(blockRows * n * 8);
  const packed = layout.region(stripRows * blockRows * 8);
  const product = layout.region(stripRows * padded * 8);
  const rounded = layout.region(stripRows * n * 4);
  const memory = machine.reserve(layout.bytes);
  packSymmetric(machine, adaptation.m, n, { scratch: values, packed: m });

  const output = new Uint8Array((rows.end - rows.first) * n * valueBytes(dtype));
  for (let first = rows.first; first < rows.end; first += stripRows) {
    const count = Math.min(stripRows, rows.end - first);
    const block = { firstRow: first, rows: count, firstColumn: 0, columns: n };
    widenBlock(machine, source, await source.read(first, count), block, { raw, out: values });
    f64(memory, product, stripRows * padded).fill(0);
    eachBlock(n, (from, depth) => {
      machine.packRows(values + from * 8, count, depth, n, packed);
      const b = m + from * padded * 8;
      machine.multiply(packed, Math.ceil(count / 4), b, tiles, depth, product, 0);
    });
    const place = (first - rows.first) * n * valueBytes(dtype);
    for (let row = 0; row < count; row++) {
      const to = rounded + row * n * valueBytes(dtype);
      round(machine, product + row * padded * 8, n, adaptation.c, dtype, to, source.name);
    }
    output.set(new Uint8Array(memory, rounded, count * n * valueBytes(dtype)), place);
    report(first + count - rows.first);
  }
  return output;
}

/**
 * A wide matrix adapted from the left: c M W, rounded as in adaptRows().
 *
 * @returns little-endian bytes, [rows, columns]
 */
async function adaptWide(
  machine: Machine,
  source: MatrixSource,
  adaptation: Adaptation,
  dtype: MatrixDtype,
  report: (done: number) => void = () => undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const n = source.rows;
  const tiles = Math.ceil(n / 4);
  const padded = tiles * 4;
  const width = valueBytes(dtype);
  const layout = new Layout();
  const m = layout.region(n * padded * 8);
  const raw = layout.region(blockRows * n * 4);
  const values = layout.region(blockRows * n * 8);
  const packed = layout.region(blockRows * blockRows * 8);
  const product = layout.region(padded * blockRows * 8);
  const rounded = layout.region(blockRows * 4);
  const memory = machine.reserve(layout.bytes);
  packSymmetric(machine, adaptation.m, n, { scratch: values, packed: m });

  const bytes = await source.read(0, n);
  const output = new Uint8Array(n * source.columns * width);
  eachBlock(source.columns, (firstColumn, columns) => {
    const columnTiles = Math.ceil(columns / 4);
    const block = { firstRow: 0, rows: n, firstColumn, columns };
    widenBlock(machine, source, bytes, block, { raw, out: values });
    f64(memory, product, padded * columnTiles * 4).fill(0);
    eachBlock(n, (from, depth) => {
      machine.packColumns(values + from * columns * 8, depth, columns, columns, 0, packed);
      machine.multiply(m + from * padded * 8, tiles, packed, columnTiles, depth, product, 0);
    });
    for (let row = 0; row < n; row++) {
      const from = product + row * columnTiles * 32;
      round(machine, from, columns, adaptation.c, dtype, rounded, source.name);
      const place = (row * source.columns + firstColumn) * width;
      output.set(new Uint8Array(memory, rounded, columns * width), place);
    }
    report(firstColumn + columns);
  });
  return output;
}

/** Tasks of one matrix's adaptation: ranges of rows; a wide matrix is one task. */
export function applyRanges(
  matrix: { readonly rows: number; readonly columns: number },
  rowsPerTask = 4096,
): readonly { readonly first: number; readonly end: number }[] {
  if (isWide(matrix)) return [{ first: 0, end: matrix.rows }];
  const count = Math.ceil(matrix.rows / rowsPerTask);
  return Array.from({ length: count }, (_, i) => ({
    first: i * rowsPerTask,
    end: Math.min(matrix.rows, (i + 1) * rowsPerTask),
  }));
}

/** Either of the two, as the matrix's shape asks. */
export function adapt(
  machine: Machine,
  source: MatrixSource,
  adaptation: Adaptation,
  rows: { readonly first: number; readonly end: number },
  dtype: MatrixDtype,
  report?: (done: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  if (adaptation.m.length !== rankOf(source) ** 2) {
    throw new AdaptationError('wrong_shape', `${source.name} and its scaling matrix do not fit.`);
  }
  return isWide(source)
    ? adaptWide(machine, source, adaptation, dtype, report)
    : adaptRows(machine, source, adaptation, rows, dtype, report);
}

function eachBlock(length: number, work: (first: number, count: number) => void): void {
  for (let first = 0; first < length; first += blockRows) {
    work(first, Math.min(blockRows, length - first));
  }
}

/** Packs a symmetric matrix in blocks of 256 rows: a product's left or right side, being its own transpose. */
function packSymmetric(
  machine: Machine,
  matrix: Float64Array,
  n: number,
  at: { readonly scratch: number; readonly packed: number },
): void {
  const padded = Math.ceil(n / 4) * 4;
  eachBlock(n, (first, rows) => {
    const values = f64(machine.reserve(0), at.scratch, rows * n);
    values.set(matrix.subarray(first * n, (first + rows) * n));
    machine.packColumns(at.scratch, rows, n, n, 0, at.packed + first * padded * 8);
  });
}

function round(
  machine: Machine,
  from: number,
  count: number,
  scale: number,
  dtype: MatrixDtype,
  to: number,
  name: string,
): void {
  const bad =
    dtype === 'BF16'
      ? machine.roundBf16(from, count, scale, to)
      : machine.roundF32(from, count, scale, to);
  if (bad < 0) return;
  throw new AdaptationError(
    'non_finite',
    `The adapted ${name} has a value beyond ${dtype}. The vector does not fit this base.`,
  );
}
