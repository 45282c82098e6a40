import fc from 'fast-check';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNpy } from '../../../model-runtime/weights/npy.ts';
import { WeightsError } from '../../../model-runtime/weights/weights-error.ts';

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-npy-'));
  path = join(folder, 'v.npy');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const dict = (descr: string, order: string, shape: string): string =>
  `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`;

describe('an npy file', () => {
  it('of f64 in one dimension gives its values', async () => {
    const values = Float64Array.of(0.1, -2, 1e300);
    await writeFile(path, npy(dict('<f8', 'False', '(3,)'), values));
    expect(await readNpy(path)).toEqual({ shape: [3], values });
  });

  it('of f32 in two dimensions gives its values', async () => {
    const values = Float32Array.of(1, 2, 3, 4, 5, 6);
    await writeFile(path, npy(dict('<f4', 'False', '(2, 3)'), values));
    expect(await readNpy(path)).toEqual({ shape: [2, 3], values });
  });

  it('is read in formats 2 and 3, with members in any order and odd alignment', async () => {
    const header = "{'shape': (1, 2), 'descr': '<f8', 'fortran_order': False}  \n";
    for (const major of [2, 3]) {
      await writeFile(path, npy(header, Float64Array.of(1, 2), major));
      expect((await readNpy(path)).shape).toEqual([1, 2]);
    }
  });

  const data = Float32Array.of(1, 2);
  const refused: [what: string, code: string, bytes: Uint8Array][] = [
    ['that is something else', 'malformed', Buffer.from('PK\u0003\u0004 a zip archive')],
    ['that is empty', 'truncated', new Uint8Array(0)],
    ['of format 9', 'malformed', npy(dict('<f4', 'False', '(2,)'), data, 9)],
    ['of big-endian numbers', 'unknown_dtype', npy(dict('>f4', 'False', '(2,)'), data)],
    ['of Python objects', 'unknown_dtype', npy(dict('|O', 'False', '(2,)'), data)],
    ['of integers', 'unknown_dtype', npy(dict('<i8', 'False', '(1,)'), data)],
    ['in Fortran order', 'bad_shape', npy(dict('<f4', 'True', '(2,)'), data)],
    ['with three dimensions', 'bad_shape', npy(dict('<f4', 'False', '(1, 1, 2)'), data)],
    ['with no dimension', 'bad_shape', npy(dict('<f4', 'False', '()'), data)],
    [
      'with a size too many digits long',
      'bad_shape',
      npy(dict('<f4', 'False', `(${'9'.repeat(30)},)`), data),
    ],
    [
      'that claims too much',
      'too_large',
      npy(dict('<f4', 'False', '(999999999999, 999999)'), data),
    ],
    ['that is cut', 'truncated', npy(dict('<f4', 'False', '(3,)'), data)],
    ['with bytes after its array', 'bad_offsets', npy(dict('<f4', 'False', '(1,)'), data)],
    ['with a member twice', 'duplicate_key', npy("{'descr': '<f4', 'descr': '<f8'}", data)],
    ['with an unknown member', 'malformed', npy("{'descr': '<f4', 'x': 1}", data)],
    ['whose header is code', 'malformed', npy("__import__('os')", data)],
    ['with text after its dict', 'malformed', npy(`${dict('<f4', 'False', '(2,)')}0`, data)],
    [
      'that ends in its header',
      'truncated',
      npy(dict('<f4', 'False', '(2,)'), data).subarray(0, 40),
    ],
  ];
  for (const [what, code, bytes] of refused) {
    it(`${what} is refused`, async () => {
      await writeFile(path, bytes);
      await expect(readNpy(path)).rejects.toMatchObject({
        code,
        message: expect.stringContaining('v.npy: '),
      });
    });
  }

  it('with some bytes changed reads or is refused with a typed error', async () => {
    const intact = npy(dict('<f4', 'False', '(2, 3)'), new Float32Array(6));
    const change = fc.record({ at: fc.nat(intact.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        const damaged = Uint8Array.from(intact);
        for (const { at, byte } of changes) damaged[at] = byte;
        await writeFile(path, damaged);
        const outcome = await readNpy(path).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(WeightsError);
      }),
      { numRuns: 400 },
    );
  });
});

function npy(header: string, values: Float32Array | Float64Array, major = 1): Uint8Array {
  const prefix = Buffer.alloc(major === 1 ? 10 : 12);
  prefix.set([0x93, ...Buffer.from('NUMPY'), major, 0]);
  if (major === 1) prefix.writeUInt16LE(header.length, 8);
  else prefix.writeUInt32LE(header.length, 8);
  return Buffer.concat([prefix, Buffer.from(header, 'latin1'), Buffer.from(values.buffer)]);
}
