import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quantiseBlock8 } from '../../../model-runtime/weights/quantise-block8.ts';
import { quantiseInt8 } from '../../../model-runtime/weights/quantise-int8.ts';

const matrix = fc
  .tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 300 }))
  .chain(([rows, columns]) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.constant(columns),
      values: fc
        .array(fc.float({ min: -8, max: 8, noNaN: true }), {
          minLength: rows * columns,
          maxLength: rows * columns,
        })
        .map((list) => Float32Array.from(list)),
    }),
  );

describe('quantising in blocks of 128', () => {
  it('brings every value back within half a step of its block', () => {
    fc.assert(
      fc.property(matrix, ({ rows, columns, values }) => {
        const { weights, scales } = quantiseBlock8(values, rows, columns);
        const blocks = Math.ceil(columns / 128);
        for (let row = 0; row < rows; row += 1) {
          for (let column = 0; column < columns; column += 1) {
            const block = row * blocks + Math.floor(column / 128);
            const byte = weights[block * 128 + (column % 128)]!;
            const scale = scales[block]!;
            const error = Math.abs((byte - 128) * scale - values[row * columns + column]!);
            expect(error).toBeLessThanOrEqual(0.5001 * scale);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('fills a short last block with zeros and gives a block of zeros the scale 1', () => {
    const values = new Float32Array(130);
    values[129] = -2;
    const { weights, scales } = quantiseBlock8(values, 1, 130);
    expect(weights).toHaveLength(256);
    expect([...scales]).toEqual([1, Math.fround(2 / 127)]);
    expect([...weights.subarray(0, 128)].every((byte) => byte === 128)).toBe(true);
    expect([...weights.subarray(128, 131)]).toEqual([128, 1, 128]);
  });
});

describe('quantising by output row', () => {
  it('brings every value back, transposed, within half a step of its row', () => {
    fc.assert(
      fc.property(matrix, ({ rows, columns, values }) => {
        const { weights, scales } = quantiseInt8(values, rows, columns);
        for (let row = 0; row < rows; row += 1) {
          for (let column = 0; column < columns; column += 1) {
            const step = weights[column * rows + row]!;
            const error = Math.abs(step * scales[row]! - values[row * columns + column]!);
            expect(error).toBeLessThanOrEqual(0.5001 * scales[row]!);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('never exceeds 64 steps, so that a pair of products fits in 16 bits', () => {
    fc.assert(
      fc.property(matrix, ({ rows, columns, values }) => {
        const { weights } = quantiseInt8(values, rows, columns);
        const largest = weights.reduce((most, step) => Math.max(most, Math.abs(step)), 0);
        expect(2 * 255 * largest).toBeLessThanOrEqual(32767);
      }),
      { numRuns: 30 },
    );
  });

  it('gives a row of zeros the scale 1', () => {
    const { weights, scales } = quantiseInt8(Float32Array.of(0, 0, 3, -6), 2, 2);
    expect([...scales]).toEqual([1, Math.fround(6 / 64)]);
    expect([...weights]).toEqual([0, 32, 0, -64]);
  });
});
