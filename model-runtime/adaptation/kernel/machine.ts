/** Columns of a panel that the eigensolver works on at a time. */
export const panelColumns = 16;

/** Rows of a block that are summed in a register before they are added to memory. */
export const blockRows = 256;

/**
 * The primitive operations of the adaptation's linear algebra, over one memory. Addresses are byte offsets
 * into `memory`, f64 values at multiples of 8. Two implementations, the WebAssembly kernel and the typed
 * arrays, do the same floating-point operations in the same order and so give the same bits.
 *
 * One caller at a time: an operation lays the memory out as it needs it.
 */
export interface Machine {
  readonly name: 'wasm-simd' | 'typed-arrays';
  /** The memory, at least `bytes` long. Grows it when needed, which detaches views taken before. */
  reserve(bytes: number): ArrayBuffer;
  widenBf16(source: number, count: number, out: number): number;
  widenF32(source: number, count: number, out: number): number;
  roundBf16(source: number, count: number, scale: number, out: number): number;
  roundF32(source: number, count: number, scale: number, out: number): number;
  packColumns(
    source: number,
    rows: number,
    columns: number,
    stride: number,
    factors: number,
    tiles: number,
  ): void;
  packRows(source: number, rows: number, columns: number, stride: number, tiles: number): void;
  multiply(
    a: number,
    tilesA: number,
    b: number,
    tilesB: number,
    rows: number,
    c: number,
    upper: number,
  ): void;
  tridiagonalise(
    a: number,
    n: number,
    diagonal: number,
    off: number,
    tau: number,
    work: number,
  ): void;
  sweep(
    diagonal: number,
    off: number,
    n: number,
    start: number,
    sweepsBefore: number,
    record: number,
    capacity: number,
    progress: number,
  ): void;
  reflectPanel(a: number, n: number, tau: number, panel: number): void;
  rotatePanel(record: number, used: number, panel: number): void;
}

/** A memory that grows: its bytes, and the same as f64. */
export interface GrowingMemory {
  bytes: ArrayBuffer;
  f64: Float64Array;
}

/** Lays regions out one after the other from address 64, each aligned to 64 bytes. */
export class Layout {
  #end = 64;

  /** Address of a region of `bytes` bytes. */
  region(bytes: number): number {
    const address = this.#end;
    this.#end = Math.ceil((address + bytes) / 64) * 64;
    return address;
  }

  /** Bytes that hold every region. */
  get bytes(): number {
    return this.#end;
  }
}

/** `count` f64 values at an address, as a view. */
export function f64(
  memory: ArrayBuffer,
  address: number,
  count: number,
): Float64Array<ArrayBuffer> {
  return new Float64Array(memory, address, count);
}
