import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eigensystem } from '../../../model-runtime/adaptation/eigen.ts';
import { typedArrayMachine } from '../../../model-runtime/adaptation/kernel/typed-arrays.ts';
import { wasmMachine } from '../../../model-runtime/adaptation/kernel/wasm.ts';
import { eigenvaluesByMlMatrix, normal } from './spectra.ts';

const wasm = wasmMachine();
const plain = typedArrayMachine();

function symmetric(n: number, value: (i: number, j: number) => number): Float64Array<ArrayBuffer> {
  const matrix = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) matrix[i * n + j] = matrix[j * n + i] = value(i, j);
  }
  return matrix;
}

/** Largest |A v - λ v| and |V Vᵀ - I|, relative to the largest |λ|. */
function faults(matrix: Float64Array, n: number, system: ReturnType<typeof eigensystem>) {
  const scale = Math.max(...system.values.map(Math.abs), Number.MIN_VALUE);
  let residual = 0;
  let orthogonality = 0;
  for (let i = 0; i < n; i++) {
    for (let row = 0; row < n; row++) {
      let product = 0;
      let dot = 0;
      for (let k = 0; k < n; k++) {
        product += matrix[row * n + k]! * system.vectors[i * n + k]!;
        dot += system.vectors[row * n + k]! * system.vectors[i * n + k]!;
      }
      const expected = system.values[i]! * system.vectors[i * n + row]!;
      residual = Math.max(residual, Math.abs(product - expected) / scale);
      orthogonality = Math.max(orthogonality, Math.abs(dot - (row === i ? 1 : 0)));
    }
  }
  return { residual, orthogonality };
}

describe('the eigensolver', () => {
  it.each([1, 2, 3, 5, 16, 17, 64, 150])('solves a random symmetric matrix of size %i', (n) => {
    const next = normal(n);
    const matrix = symmetric(n, () => next());
    const system = eigensystem(wasm, matrix, n);
    const { residual, orthogonality } = faults(matrix, n, system);
    expect(residual).toBeLessThan(1e-13);
    expect(orthogonality).toBeLessThan(1e-13);
    const expected = eigenvaluesByMlMatrix(matrix, n);
    system.values.forEach((value, i) => {
      expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-12 * Math.abs(expected[0]!) + 1e-12);
    });
  });

  it.each([
    ['zero', () => 0],
    ['diagonal', (i: number, j: number) => (i === j ? i - 7 : 0)],
    ['all ones', () => 1],
    ['the identity', (i: number, j: number) => (i === j ? 1 : 0)],
    ['already tridiagonal', (i: number, j: number) => (Math.abs(i - j) <= 1 ? 2 - 3 * (j - i) : 0)],
    ['steeply graded', (i: number, j: number) => 10 ** (-i - j)],
    ['graded the other way', (i: number, j: number) => 10 ** (i + j - 38)],
  ])('solves a matrix that is %s', (_, value) => {
    const matrix = symmetric(20, value);
    const { residual, orthogonality } = faults(matrix, 20, eigensystem(wasm, matrix, 20));
    expect(residual).toBeLessThan(1e-13);
    expect(orthogonality).toBeLessThan(1e-13);
  });

  it.each([1e-200, 1e200])('is indifferent to a scale of %f', (scale) => {
    const next = normal(5);
    const matrix = symmetric(30, () => next());
    const reference = eigensystem(wasm, matrix, 30);
    const scaled = matrix.map((value) => value * scale);
    const system = eigensystem(wasm, scaled, 30);
    expect(system.values[0]! / scale / reference.values[0]!).toBeCloseTo(1, 12);
    expect(faults(matrix, 30, { ...system, values: reference.values }).orthogonality).toBeLessThan(
      1e-13,
    );
  });

  it('gives the same bits in WebAssembly and in plain typed arrays', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer(), (n, seed) => {
        const next = normal(seed);
        const matrix = symmetric(n, () => next());
        expect(eigensystem(wasm, matrix, n)).toEqual(eigensystem(plain, matrix, n));
      }),
      { numRuns: 40 },
    );
  });

  it('orders eigenvalues from the largest', () => {
    const next = normal(11);
    const { values } = eigensystem(
      wasm,
      symmetric(50, () => next()),
      50,
    );
    expect([...values]).toEqual([...values].toSorted((a, b) => b - a));
  });

  it.each([Number.NaN, Infinity])('refuses a matrix that holds %f', (bad) => {
    const matrix = symmetric(4, (i, j) => (i === 1 && j === 2 ? bad : 1));
    expect(() => eigensystem(wasm, matrix, 4)).toThrowError(
      expect.objectContaining({ code: 'non_finite' }),
    );
  });
});
