import { describe, expect, it } from 'vitest';
import {
  normalisation,
  scalingFactors,
  singularValues,
} from '../../../model-runtime/adaptation/scaling.ts';

describe('singular values', () => {
  it('are square roots, with what rounding left below zero counted as zero', () => {
    expect([...singularValues(Float64Array.of(9, 4, 0, -1e-17))]).toEqual([3, 2, 0, 0]);
  });
});

describe('the normalisation', () => {
  it('keeps the sum of the singular values', () => {
    const c = normalisation(Float64Array.of(3, 1), Float64Array.of(1.5, 0.5), 'w');
    expect(c).toBe(4 / 5);
  });

  it.each([
    ['the factors cancel', [1, 1], [1, -1]],
    ['the factors nearly cancel', [1, 1], [1, -1 + 1e-9]],
    ['the matrix is zero', [0, 0], [1, 1]],
  ])('is refused when %s', (_, values, factors) => {
    expect(() =>
      normalisation(Float64Array.from(values), Float64Array.from(factors), 'model.w'),
    ).toThrowError(
      expect.objectContaining({
        code: 'vanishing_sum',
        message: expect.stringContaining('model.w'),
      }),
    );
  });
});

describe('scaling factors', () => {
  it('are 1 + d, and products of them for spans applied one after the other', () => {
    const first = Float32Array.of(0.5, -0.25);
    expect([...scalingFactors([first])]).toEqual([1.5, 0.75]);
    expect([...scalingFactors([first, Float32Array.of(1, -1)])]).toEqual([3, 0]);
  });

  it('keep the precision of the offsets', () => {
    const offset = Math.fround(0.0123456);
    expect(scalingFactors([Float32Array.of(offset)])[0]).toBe(1 + offset);
  });
});
