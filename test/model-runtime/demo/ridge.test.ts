import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ridge } from '../../../model-runtime/demo/ridge.ts';

describe('ridge', () => {
  it('finds a line through its points when the penalty is small', () => {
    const rows = [0, 1, 2, 3].map((x) => [x, 1]);
    const targets = rows.map(([x]) => [2 * x! + 1, -x!]);
    const [first, second] = ridge(rows, targets, 1e-9);
    expect(first![0]).toBeCloseTo(2, 6);
    expect(first![1]).toBeCloseTo(1, 6);
    expect(second![0]).toBeCloseTo(-1, 6);
  });

  it('meets the normal equations: Xᵀ(XW - Y) + λW = 0', () => {
    const value = fc.double({ min: -3, max: 3, noNaN: true });
    const sample = fc.tuple(fc.array(value, { minLength: 4, maxLength: 4 }), value);
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 9 }), (samples) => {
        const lambda = 0.7;
        const rows = samples.map(([row]) => row);
        const [weights] = ridge(
          rows,
          samples.map(([, target]) => [target]),
          lambda,
        );
        const residuals = samples.map(([row, target]) => {
          return row.reduce((sum, x, i) => sum + x * weights![i]!, 0) - target;
        });
        weights!.forEach((weight, i) => {
          const gradient = rows.reduce((sum, row, n) => sum + row[i]! * residuals[n]!, 0);
          expect(gradient + lambda * weight).toBeCloseTo(0, 8);
        });
      }),
    );
  });
});
