import { describe, expect, it } from 'vitest';
import { adapt } from '../../../model-runtime/adaptation/apply.ts';
import { combine } from '../../../model-runtime/adaptation/combine.ts';
import { eigensystem, type Eigensystem } from '../../../model-runtime/adaptation/eigen.ts';
import { gramSegment, segmentCount } from '../../../model-runtime/adaptation/gram.ts';
import { wasmMachine } from '../../../model-runtime/adaptation/kernel/wasm.ts';
import {
  normalisation,
  scalingFactors,
  singularValues,
} from '../../../model-runtime/adaptation/scaling.ts';
import {
  applied,
  matrixOf,
  normal,
  oracle,
  relativeError,
  roundedHalf,
  type Spectrum,
  type TestMatrix,
} from './spectra.ts';

const machine = wasmMachine();

async function decompose(matrix: TestMatrix): Promise<Eigensystem> {
  expect(segmentCount(matrix.source)).toBe(1);
  const gram = await gramSegment(machine, matrix.source, 0);
  return eigensystem(machine, gram, Math.min(matrix.source.rows, matrix.source.columns));
}

async function scaling(matrix: TestMatrix, offsets: Float32Array) {
  const { values, vectors } = await decompose(matrix);
  const factors = scalingFactors([offsets]);
  const c = normalisation(singularValues(values), factors, 'w');
  return { m: combine(machine, vectors, factors), c };
}

function offsetsFor(n: number, seed = 7): Float32Array {
  const next = normal(seed);
  return Float32Array.from({ length: n }, () => 0.1 * next());
}

function toBf16(values: Float64Array): Uint16Array {
  const bits = new Uint32Array(Float32Array.from(values).buffer);
  return Uint16Array.from(bits, roundedHalf);
}

const shapes = { tall: [144, 80], square: [96, 96], wide: [72, 150] } as const;
const bounds: Record<Spectrum, number> = {
  'power law, condition 1e2': 1e-9,
  'power law, condition 1e4': 1e-9,
  flat: 1e-9,
  'rank-deficient': 1e-8,
  'near-degenerate': 1e-5,
};

describe.each(Object.entries(shapes))('an adapted %s matrix', (_, [rows, columns]) => {
  it.each(Object.entries(bounds) as [Spectrum, number][])(
    'agrees with the float64 SVD for the spectrum "%s" within %f',
    async (spectrum, bound) => {
      const matrix = matrixOf(rows, columns, spectrum, 'F32');
      const offsets = offsetsFor(Math.min(rows, columns));
      const { m, c } = await scaling(matrix, offsets);
      const expected = oracle(matrix, offsets);
      expect(relativeError([c], [expected.c])).toBeLessThan(bound);
      expect(relativeError(applied(matrix, m, c), expected.adapted)).toBeLessThanOrEqual(bound);
    },
  );

  it('written as bf16 equals the rounded float64 SVD in at least 99.99 % of its elements', async () => {
    let elements = 0;
    let different = 0;
    for (const seed of [1, 2, 3]) {
      const matrix = matrixOf(rows, columns, 'power law, condition 1e2', 'BF16', seed);
      const offsets = offsetsFor(Math.min(rows, columns), seed);
      const rowRange = { first: 0, end: rows };
      const bytes = await adapt(
        machine,
        matrix.source,
        await scaling(matrix, offsets),
        rowRange,
        'BF16',
      );
      const expected = toBf16(oracle(matrix, offsets).adapted);
      const written = new Uint16Array(bytes.buffer);
      elements += expected.length;
      different += expected.reduce((sum, half, i) => sum + (half === written[i] ? 0 : 1), 0);
    }
    expect(different / elements).toBeLessThanOrEqual(1e-4);
  });

  it('written as f32 is the float64 SVD within one rounding', async () => {
    const matrix = matrixOf(rows, columns, 'power law, condition 1e2', 'F32');
    const offsets = offsetsFor(Math.min(rows, columns));
    const adaptation = await scaling(matrix, offsets);
    const bytes = await adapt(machine, matrix.source, adaptation, { first: 0, end: rows }, 'F32');
    const expected = oracle(matrix, offsets).adapted;
    expect(relativeError(new Float32Array(bytes.buffer), expected)).toBeLessThan(2 ** -24);
  });

  it('gives the matrix back for zero offsets', async () => {
    const matrix = matrixOf(rows, columns, 'power law, condition 1e4', 'BF16');
    const zero = new Float32Array(Math.min(rows, columns));
    const { m, c } = await scaling(matrix, zero);
    expect(c).toBe(1);
    expect(relativeError(applied(matrix, m, c), matrix.values)).toBeLessThanOrEqual(1e-12);
  });

  it('is the same for other signs and another order of the singular vectors', async () => {
    const matrix = matrixOf(rows, columns, 'power law, condition 1e2', 'BF16');
    const n = Math.min(rows, columns);
    const { vectors } = await decompose(matrix);
    const factors = scalingFactors([offsetsFor(n)]);
    const m = combine(machine, vectors, factors);
    const flipped = vectors.map((value, i) => (Math.floor(i / n) % 3 === 0 ? -value : value));
    expect(combine(machine, flipped, factors)).toEqual(m);
    const order = Array.from({ length: n }, (_, i) => (i * 7 + 3) % n).toSorted((a, b) => b - a);
    const moved = new Float64Array(n * n);
    order.forEach((from, to) => moved.set(vectors.subarray(from * n, from * n + n), to * n));
    const other = combine(
      machine,
      moved,
      Float64Array.from(order, (i) => factors[i]!),
    );
    expect(relativeError(other, m)).toBeLessThan(1e-14);
  });
});
