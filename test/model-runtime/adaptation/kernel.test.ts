import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adapt } from '../../../model-runtime/adaptation/apply.ts';
import { combine } from '../../../model-runtime/adaptation/combine.ts';
import { gramSegment } from '../../../model-runtime/adaptation/gram.ts';
import { typedArrayMachine } from '../../../model-runtime/adaptation/kernel/typed-arrays.ts';
import { wasmMachine } from '../../../model-runtime/adaptation/kernel/wasm.ts';
import { normal, storedMatrix } from './spectra.ts';

const wasm = wasmMachine();
const plain = typedArrayMachine();

function randomMatrix(rows: number, columns: number, dtype: 'F32' | 'BF16', seed: number) {
  const next = normal(seed);
  const values = Float64Array.from({ length: rows * columns }, next);
  return storedMatrix('w', rows, columns, values, dtype);
}

const size = fc.integer({ min: 1, max: 70 });
const dtype = fc.constantFrom('F32' as const, 'BF16' as const);

describe('the WebAssembly kernel', () => {
  it('gives the bits of the typed arrays for Gram matrix, combination and adapted rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        size,
        size,
        dtype,
        dtype,
        fc.integer(),
        async (rows, columns, from, to, seed) => {
          const { source } = randomMatrix(rows, columns, from, seed);
          const n = Math.min(rows, columns);
          const gram = await gramSegment(wasm, source, 0);
          expect(gram).toEqual(await gramSegment(plain, source, 0));
          const factors = Float64Array.from({ length: n }, normal(seed + 1));
          const m = combine(wasm, gram, factors);
          expect(m).toEqual(combine(plain, gram, factors));
          const whole = { first: 0, end: rows };
          const adapted = await adapt(wasm, source, { m, c: 1.25 }, whole, to);
          expect(adapted).toEqual(await adapt(plain, source, { m, c: 1.25 }, whole, to));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('sums Gram matrices over more than one block like a plain loop', async () => {
    for (const [rows, columns] of [
      [600, 9],
      [9, 600],
    ] as const) {
      const { source, values } = randomMatrix(rows, columns, 'F32', 3);
      const gram = await gramSegment(wasm, source, 0);
      for (let i = 0; i < 9; i++) {
        for (let j = 0; j < 9; j++) {
          let sum = 0;
          for (let k = 0; k < 600; k++) {
            const at = (line: number) => (rows > columns ? k * 9 + line : line * 600 + k);
            sum += values[at(i)]! * values[at(j)]!;
          }
          expect(gram[i * 9 + j]).toBeCloseTo(sum, 10);
        }
      }
    }
  });

  it('adapts a range of rows to the same bytes as the whole', async () => {
    const { source } = randomMatrix(200, 12, 'BF16', 9);
    const m = await gramSegment(wasm, source, 0);
    const whole = await adapt(wasm, source, { m, c: 0.01 }, { first: 0, end: 200 }, 'BF16');
    const part = await adapt(wasm, source, { m, c: 0.01 }, { first: 70, end: 150 }, 'BF16');
    expect(part).toEqual(whole.subarray(70 * 24, 150 * 24));
  });

  it.each([
    ['BF16', 0x7f80, 2],
    ['F32', 0x7fc00000, 4],
  ] as const)(
    'names row and column of a %s weight that is not finite',
    async (type, bits, width) => {
      const bytes = new Uint8Array(40 * 6 * width);
      const at = (33 * 6 + 4) * width;
      const view = new DataView(bytes.buffer);
      if (width === 2) view.setUint16(at, bits, true);
      else view.setUint32(at, bits, true);
      const read = async (first: number, count: number) =>
        bytes.subarray(first * 6 * width, (first + count) * 6 * width);
      const source = { name: 'model.w', rows: 40, columns: 6, dtype: type, read };
      const expected = expect.objectContaining({
        code: 'non_finite',
        message: expect.stringContaining('model.w is not finite at row 33, column 4'),
      });
      await expect(gramSegment(wasm, source, 0)).rejects.toThrowError(expected);
      await expect(gramSegment(plain, source, 0)).rejects.toThrowError(expected);
    },
  );

  it('refuses a result beyond the written format', async () => {
    const { source } = randomMatrix(8, 4, 'F32', 1);
    const m = Float64Array.from({ length: 16 }, () => 1e39);
    await expect(
      adapt(wasm, source, { m, c: 1 }, { first: 0, end: 8 }, 'BF16'),
    ).rejects.toThrowError(expect.objectContaining({ code: 'non_finite' }));
  });
});
