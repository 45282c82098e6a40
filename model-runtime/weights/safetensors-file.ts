import { bf16ToF32 } from './bf16.ts';
import { elementBytes, type Dtype } from './dtypes.ts';
import { quote } from './header-scanner.ts';
import { openPlainFile, readExactly, type OpenFile } from './plain-file.ts';
import {
  maxHeaderBytes,
  parseSafetensorsHeader,
  type SafetensorsHeader,
  type TensorEntry,
} from './safetensors-header.ts';
import { fileFault } from './weights-error.ts';

/** Electron's allocator refuses single blocks above this; larger tensors are read by rows. */
const maxReadBytes = 1024 * 1024 * 1024;

/** Rows of a matrix as they lie in the file. `bytes` is a fresh, aligned buffer for each chunk. */
export interface RowChunk {
  readonly firstRow: number;
  readonly rows: number;
  readonly bytes: Uint8Array;
}

/**
 * An open safetensors file. Only its header is in memory; tensors are read by position, files over 2 GiB
 * and paths in any script included. Reads may overlap each other. Close it when done; twice is fine.
 */
export class SafetensorsFile {
  readonly path: string;
  /** Size of the whole file. */
  readonly bytes: number;
  /** Tensors by name, in file order. */
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  readonly metadata: ReadonlyMap<string, string>;
  readonly #file: OpenFile;
  #closed = false;

  private constructor(path: string, file: OpenFile, header: SafetensorsHeader) {
    this.path = path;
    this.#file = file;
    this.bytes = file.bytes;
    this.tensors = header.tensors;
    this.metadata = header.metadata;
  }

  /**
   * Opens a file and checks its header whole.
   *
   * @throws WeightsError naming file and reason: see `parseSafetensorsHeader`; also `unreadable`,
   *   `not_a_file`, `too_large` (header over 4 MiB)
   */
  static async open(path: string): Promise<SafetensorsFile> {
    const file = await openPlainFile(path);
    try {
      return new SafetensorsFile(path, file, await readHeader(path, file));
    } catch (error) {
      await file.handle.close();
      throw error;
    }
  }

  /**
   * The entry of a tensor that must be there.
   *
   * @param expected what its dtype must be one of, and its exact shape; left out means any
   * @throws WeightsError `missing_tensor`, `wrong_dtype`, `wrong_shape`
   */
  entry(
    name: string,
    expected: { readonly dtypes?: readonly Dtype[]; readonly shape?: readonly number[] } = {},
  ): TensorEntry {
    const entry = this.tensors.get(name);
    if (entry === undefined) {
      throw fileFault('missing_tensor', this.path, `it has no tensor ${quote(name)}`);
    }
    if (expected.dtypes !== undefined && !expected.dtypes.includes(entry.dtype)) {
      const reason = `${name} is ${entry.dtype}, not ${expected.dtypes.join(' or ')}`;
      throw fileFault('wrong_dtype', this.path, reason);
    }
    if (expected.shape !== undefined && expected.shape.join() !== entry.shape.join()) {
      const reason = `${name} has shape [${entry.shape.join()}], not [${expected.shape.join()}]`;
      throw fileFault('wrong_shape', this.path, reason);
    }
    return entry;
  }

  /** The bytes of a tensor, little-endian, in a fresh aligned buffer. Refuses more than 1 GiB. */
  async read(name: string): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.entry(name);
    return this.#readRange(entry, entry.start, entry.end - entry.start);
  }

  /** The values of a BF16 or F32 tensor as f32: [elements]. Refuses other types, and values over 1 GiB. */
  async readF32(name: string, shape?: readonly number[]): Promise<Float32Array<ArrayBuffer>> {
    const entry = this.entry(name, { dtypes: ['BF16', 'F32'], ...(shape && { shape }) });
    const values = (entry.end - entry.start) / elementBytes(entry.dtype);
    this.#requireRoom(entry, values * 4);
    return asF32(await this.read(name), entry.dtype);
  }

  /**
   * `count` rows of a matrix from `firstRow`.
   *
   * @throws WeightsError `wrong_shape` when the tensor is no matrix, `out_of_range` beyond its rows
   */
  async readRows(name: string, firstRow: number, count: number): Promise<Uint8Array<ArrayBuffer>> {
    const entry = this.entry(name);
    const [rows, rowBytes] = rowsOf(entry, this.path);
    const isInside =
      Number.isSafeInteger(firstRow) && firstRow >= 0 && count >= 0 && firstRow + count <= rows;
    if (!isInside) {
      const reason = `${name} has ${rows} rows; ${firstRow} to ${firstRow + count} were asked for`;
      throw fileFault('out_of_range', this.path, reason);
    }
    return this.#readRange(entry, entry.start + firstRow * rowBytes, count * rowBytes);
  }

  /** A matrix from first row to last in chunks of `rowsPerChunk`; the last one may be shorter. */
  async *rowChunks(name: string, rowsPerChunk: number): AsyncGenerator<RowChunk> {
    const [rows] = rowsOf(this.entry(name), this.path);
    for (let firstRow = 0; firstRow < rows; firstRow += rowsPerChunk) {
      const count = Math.min(rowsPerChunk, rows - firstRow);
      yield { firstRow, rows: count, bytes: await this.readRows(name, firstRow, count) };
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#file.handle.close();
  }

  #requireRoom(entry: TensorEntry, bytes: number): void {
    if (bytes <= maxReadBytes) return;
    const reason = `${entry.name} would take ${bytes} bytes: more than 1 GiB is read by rows`;
    throw fileFault('too_large', this.path, reason);
  }

  async #readRange(
    entry: TensorEntry,
    position: number,
    length: number,
  ): Promise<Uint8Array<ArrayBuffer>> {
    this.#requireRoom(entry, length);
    const bytes = new Uint8Array(length);
    await readExactly(this.#file, this.path, bytes, position);
    return bytes;
  }
}

/** BF16 or F32 bytes of an aligned buffer as f32 values. F32 is a view, BF16 a new array. */
export function asF32(bytes: Uint8Array<ArrayBuffer>, dtype: Dtype): Float32Array<ArrayBuffer> {
  if (dtype === 'F32') {
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }
  return bf16ToF32(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2));
}

async function readHeader(path: string, file: OpenFile): Promise<SafetensorsHeader> {
  if (file.bytes < 8) {
    throw fileFault('truncated', path, `it has ${file.bytes} bytes; the header's length takes 8`);
  }
  const prefix = new Uint8Array(8);
  await readExactly(file, path, prefix, 0);
  const length = new DataView(prefix.buffer).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes)) {
    const reason = `its header claims ${length} bytes; at most ${maxHeaderBytes} are read`;
    throw fileFault('too_large', path, reason);
  }
  if (8 + Number(length) > file.bytes) {
    throw fileFault('truncated', path, `it ends inside its header of ${length} bytes`);
  }
  const json = new Uint8Array(Number(length));
  await readExactly(file, path, json, 8);
  return parseSafetensorsHeader(json, { path, bytes: file.bytes });
}

function rowsOf(entry: TensorEntry, path: string): [rows: number, rowBytes: number] {
  const [rows, columns] = entry.shape;
  if (entry.shape.length !== 2 || rows === undefined || columns === undefined) {
    throw fileFault('wrong_shape', path, `${entry.name} is no matrix: [${entry.shape.join()}]`);
  }
  return [rows, columns * elementBytes(entry.dtype)];
}
