import { elementBytes, isDtype, type Dtype } from './dtypes.ts';
import { HeaderScanner, quote, ScanFault } from './header-scanner.ts';
import { fileFault } from './weights-error.ts';

/** Largest header that is read, in bytes. That of a 28-layer checkpoint has 35 kB. */
export const maxHeaderBytes = 4 * 1024 * 1024;
/** Most tensors of one file. */
export const maxTensors = 20_000;
const maxMetadata = 10_000;
const maxNameLength = 1000;
const maxRank = 8;

/** Where a tensor lies. `start` and `end` are bytes from the beginning of the FILE, half-open. */
export interface TensorEntry {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  readonly metadata: ReadonlyMap<string, string>;
}

/**
 * Reads and checks the header of a safetensors file.
 *
 * @param json  the header's bytes, without the 8 bytes that give its length
 * @param file  the path, for messages, and the whole file's size in bytes
 * @returns tensors in file order, offsets counted from the start of the file
 * @throws WeightsError: `malformed` (not UTF-8, not the header's JSON), `duplicate_key`, `unknown_dtype`,
 *   `bad_shape` (rank over 8, bytes beyond 2^53), `bad_offsets` (wrong length, overlap, hole, beyond the
 *   file), `truncated` (the file ends before its last tensor), `too_large` (over 20,000 tensors or
 *   10,000 texts of metadata)
 *
 * Source: the safetensors format, whose reference reader refuses holes and overlaps too.
 */
export function parseSafetensorsHeader(
  json: Uint8Array,
  file: { readonly path: string; readonly bytes: number },
): SafetensorsHeader {
  const dataStart = 8 + json.byteLength;
  const tensors: TensorEntry[] = [];
  const metadata = new Map<string, string>();
  try {
    const scanner = new HeaderScanner(decodeUtf8(json));
    scanner.object((name) => {
      if (name === '__metadata__') {
        scanner.object((key) => {
          requireRoom(metadata.size, maxMetadata, 'texts of metadata', file.path);
          metadata.set(key, scanner.string());
        });
        return;
      }
      requireRoom(tensors.length, maxTensors, 'tensors', file.path);
      if (name.length > maxNameLength) {
        throw new ScanFault(`the tensor name ${quote(name)} has over ${maxNameLength} characters`);
      }
      tensors.push(readEntry(scanner, name, dataStart, file.path));
    });
    scanner.end();
  } catch (error) {
    if (!(error instanceof ScanFault)) throw error;
    throw fileFault(error.duplicate ? 'duplicate_key' : 'malformed', file.path, error.message);
  }
  tensors.sort((a, b) => a.start - b.start || a.end - b.end);
  checkCoverage(tensors, dataStart, file);
  return { tensors: new Map(tensors.map((entry) => [entry.name, entry])), metadata };
}

function requireRoom(count: number, most: number, what: string, path: string): void {
  if (count === most) throw fileFault('too_large', path, `it lists more than ${most} ${what}`);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ScanFault('the header is not UTF-8');
  }
}

function readEntry(
  scanner: HeaderScanner,
  name: string,
  dataStart: number,
  path: string,
): TensorEntry {
  let dtypeName: string | undefined;
  let shape: number[] | undefined;
  let offsets: number[] | undefined;
  scanner.object((key) => {
    if (key === 'dtype') dtypeName = scanner.string();
    else if (key === 'shape') shape = scanner.wholeNumbers(maxRank);
    else if (key === 'data_offsets') offsets = scanner.wholeNumbers(2);
    else throw new ScanFault(`the tensor ${quote(name)} has the unknown member ${quote(key)}`);
  });
  if (dtypeName === undefined || shape === undefined || offsets?.length !== 2) {
    throw new ScanFault(`the tensor ${quote(name)} lacks dtype, shape or two data_offsets`);
  }
  if (!isDtype(dtypeName)) {
    const reason = `the tensor ${quote(name)} has the unknown dtype ${quote(dtypeName)}`;
    throw fileFault('unknown_dtype', path, reason);
  }
  const [from, to] = offsets as [number, number];
  const bytes = byteLength(shape, dtypeName);
  if (bytes === null) {
    throw fileFault('bad_shape', path, `the tensor ${quote(name)} is larger than 2^53 bytes`);
  }
  if (from > to || to - from !== bytes || !Number.isSafeInteger(dataStart + to)) {
    const reason = `the tensor ${quote(name)} needs ${bytes} bytes, its offsets are ${from} to ${to}`;
    throw fileFault('bad_offsets', path, reason);
  }
  return { name, dtype: dtypeName, shape, start: dataStart + from, end: dataStart + to };
}

/** Bytes of a tensor, or null beyond 2^53. A zero anywhere makes it empty, whatever else is there. */
function byteLength(shape: readonly number[], dtype: Dtype): number | null {
  if (shape.includes(0)) return 0;
  let bytes = elementBytes(dtype);
  for (const size of shape) {
    bytes *= size;
    if (!Number.isSafeInteger(bytes)) return null;
  }
  return bytes;
}

function checkCoverage(
  sorted: readonly TensorEntry[],
  dataStart: number,
  file: { readonly path: string; readonly bytes: number },
): void {
  let covered = dataStart;
  for (const entry of sorted) {
    if (entry.start < covered) {
      const reason = `the tensor ${quote(entry.name)} overlaps the one before it`;
      throw fileFault('bad_offsets', file.path, reason);
    }
    if (entry.start > covered) {
      const reason = `there is a hole before the tensor ${quote(entry.name)}`;
      throw fileFault('bad_offsets', file.path, reason);
    }
    covered = entry.end;
  }
  if (covered > file.bytes) {
    const reason = `the file has ${file.bytes} bytes, its tensors need ${covered}`;
    throw fileFault('truncated', file.path, reason);
  }
  if (covered < file.bytes) {
    const reason = `${file.bytes - covered} bytes follow the last tensor`;
    throw fileFault('bad_offsets', file.path, reason);
  }
}
