import { openPlainFile, readExactly, type OpenFile } from './plain-file.ts';
import { fileFault } from './weights-error.ts';

const maxHeaderBytes = 64 * 1024;
const maxDataBytes = 256 * 1024 * 1024;
const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

/** An array of numpy: row-major values. */
export interface NpyArray {
  readonly shape: readonly number[];
  readonly values: Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;
}

/**
 * Reads an `.npy` file of little-endian f32 or f64 with one or two dimensions in C order, formats 1 to 3.
 *
 * @throws WeightsError naming file and reason: `malformed`, `unknown_dtype`, `bad_shape` (Fortran order, other
 *   ranks), `truncated`, `bad_offsets` (bytes after the data), `too_large` (data over 256 MiB), `unreadable`,
 *   `not_a_file`
 *
 * Source: numpy's format description (numpy.lib.format).
 */
export async function readNpy(path: string): Promise<NpyArray> {
  const file = await openPlainFile(path);
  try {
    const { text, dataStart } = await readHeaderText(file, path);
    const { descr, shape } = parseHeader(text, path);
    const width = descr === '<f4' ? 4 : 8;
    const bytes = shape.reduce((product, size) => product * size, width);
    if (bytes > maxDataBytes) {
      throw fileFault('too_large', path, `its array has ${bytes} bytes; ${maxDataBytes} are read`);
    }
    if (dataStart + bytes > file.bytes) {
      throw fileFault('truncated', path, `it has ${file.bytes} bytes, not ${dataStart + bytes}`);
    }
    if (dataStart + bytes < file.bytes) {
      throw fileFault('bad_offsets', path, 'there are bytes after its array');
    }
    const data = new Uint8Array(bytes);
    await readExactly(file, path, data, dataStart);
    const values = width === 4 ? new Float32Array(data.buffer) : new Float64Array(data.buffer);
    return { shape, values };
  } finally {
    await file.handle.close();
  }
}

async function readHeaderText(
  file: OpenFile,
  path: string,
): Promise<{ text: string; dataStart: number }> {
  const start = new Uint8Array(Math.min(12, file.bytes));
  await readExactly(file, path, start, 0);
  if (start.length < 12) throw fileFault('truncated', path, 'it is shorter than a header');
  if (!magic.every((byte, index) => start[index] === byte)) {
    throw fileFault('malformed', path, 'it does not begin like an npy file');
  }
  const view = new DataView(start.buffer);
  const major = view.getUint8(6);
  if (major < 1 || major > 3) throw fileFault('malformed', path, `npy format ${major} is unknown`);
  const length = major === 1 ? view.getUint16(8, true) : view.getUint32(8, true);
  const headerStart = major === 1 ? 10 : 12;
  if (length > maxHeaderBytes) {
    throw fileFault(
      'too_large',
      path,
      `its header has ${length} bytes; ${maxHeaderBytes} are read`,
    );
  }
  if (headerStart + length > file.bytes) throw fileFault('truncated', path, 'its header is cut');
  const header = new Uint8Array(length);
  await readExactly(file, path, header, headerStart);
  return { text: new TextDecoder('latin1').decode(header), dataStart: headerStart + length };
}

function parseHeader(text: string, path: string): { descr: '<f4' | '<f8'; shape: number[] } {
  const members = new Map<string, string>();
  // A Python dict of exactly three members: 'descr' a string, 'fortran_order' a bool, 'shape' a tuple.
  const member =
    /\s*'(descr|fortran_order|shape)'\s*:\s*('[^']*'|True|False|\([\d\s,]*\))\s*(,|(?=\}))/y;
  const body = text.trimEnd();
  if (!body.startsWith('{')) throw fileFault('malformed', path, 'its header is no dict');
  member.lastIndex = 1;
  let end = 1;
  for (let found = member.exec(body); found !== null; found = member.exec(body)) {
    const [, key, value] = found as unknown as [string, string, string];
    if (members.has(key)) throw fileFault('duplicate_key', path, `its header gives ${key} twice`);
    members.set(key, value);
    end = member.lastIndex;
  }
  if (members.size !== 3 || body.slice(end).trim() !== '}') {
    throw fileFault('malformed', path, 'its header is not the dict of an npy file');
  }
  const descr = members.get('descr')!.slice(1, -1);
  if (descr !== '<f4' && descr !== '<f8') {
    throw fileFault('unknown_dtype', path, `its type is ${JSON.stringify(descr)}, not <f4 or <f8`);
  }
  if (members.get('fortran_order') !== 'False') {
    throw fileFault('bad_shape', path, 'it is in Fortran order');
  }
  return { descr, shape: parseShape(members.get('shape')!, path) };
}

function parseShape(tuple: string, path: string): number[] {
  const sizes = /^\(\s*(\d{1,12})\s*,\s*(?:(\d{1,12})\s*,?\s*)?\)$/.exec(tuple);
  if (sizes === null) {
    throw fileFault('bad_shape', path, `its shape is ${tuple.slice(0, 80)}, not one or two sizes`);
  }
  return [sizes[1], sizes[2]].filter((size) => size !== undefined).map(Number);
}
