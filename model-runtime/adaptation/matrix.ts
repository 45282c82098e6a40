import type { Machine } from './kernel/machine.ts';
import { AdaptationError } from './adaptation-error.ts';

/** Number formats of weight matrices that can be adapted. */
export type MatrixDtype = 'BF16' | 'F32';

/** A weight matrix [rows, columns] that is read by rows. */
export interface MatrixSource {
  /** Checkpoint name, for messages. */
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly dtype: MatrixDtype;
  /** Little-endian bytes of `count` rows from `firstRow`. */
  read(firstRow: number, count: number): Promise<Uint8Array>;
}

/** Bytes of one value. */
export function valueBytes(dtype: MatrixDtype): number {
  return dtype === 'BF16' ? 2 : 4;
}

/** True for matrices with fewer rows than columns: their left Gram matrix is the smaller one. */
export function isWide(matrix: { readonly rows: number; readonly columns: number }): boolean {
  return matrix.rows < matrix.columns;
}

/** Singular values of a matrix: the smaller of its two sizes. */
export function rankOf(matrix: { readonly rows: number; readonly columns: number }): number {
  return Math.min(matrix.rows, matrix.columns);
}

/** Where a block of a matrix lies: `columns` values of each of `rows` rows. */
export interface Block {
  readonly firstRow: number;
  readonly rows: number;
  readonly firstColumn: number;
  readonly columns: number;
}

/**
 * Widens a block to f64 at `out`, row after row without gaps.
 *
 * @param bytes whole rows of the matrix; row `block.firstRow` is the first of them
 * @param raw   address of scratch for the block's own bytes
 * @throws AdaptationError `non_finite` naming row and column
 */
export function widenBlock(
  machine: Machine,
  source: MatrixSource,
  bytes: Uint8Array,
  block: Block,
  at: { readonly raw: number; readonly out: number },
): void {
  const width = valueBytes(source.dtype);
  const target = new Uint8Array(machine.reserve(0), at.raw);
  if (block.columns === source.columns) {
    target.set(bytes.subarray(0, block.rows * source.columns * width));
  } else {
    for (let row = 0; row < block.rows; row++) {
      const from = (row * source.columns + block.firstColumn) * width;
      target.set(bytes.subarray(from, from + block.columns * width), row * block.columns * width);
    }
  }
  const widen = source.dtype === 'BF16' ? machine.widenBf16 : machine.widenF32;
  const bad = widen(at.raw, block.rows * block.columns, at.out);
  if (bad < 0) return;
  const row = block.firstRow + Math.floor(bad / block.columns);
  const column = block.firstColumn + (bad % block.columns);
  throw new AdaptationError(
    'non_finite',
    `${source.name} is not finite at row ${row}, column ${column}. The base file is damaged.`,
  );
}
