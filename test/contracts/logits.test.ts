import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argmax, entropyBits, margin, softmax } from '../../contracts/logits.ts';

describe('argmax', () => {
  it('takes the lowest index among equals', () => {
    expect(argmax([1, 3, 3, 2])).toBe(1);
  });
  it('gives -1 for nothing', () => {
    expect(argmax([])).toBe(-1);
  });
  it('never lets NaN win', () => {
    expect(argmax([Number.NaN, -5, Number.NaN])).toBe(1);
    expect(argmax([Number.NaN, Number.NaN])).toBe(0);
  });
});

describe('margin', () => {
  it('is the largest minus the second largest logit', () => {
    expect(margin([0.5, 4, 1.5])).toBe(2.5);
  });
  it('is 0 for a tie and for a single value, null for none', () => {
    expect(margin([2, 2, 1])).toBe(0);
    expect(margin([7])).toBe(0);
    expect(margin([])).toBeNull();
  });
  it('is infinite when only one value is finite', () => {
    expect(margin([1, Number.NEGATIVE_INFINITY])).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('softmax', () => {
  it('agrees with the definition on small values', () => {
    const total = Math.exp(1) + Math.exp(2) + Math.exp(3);
    const expected = [Math.exp(1) / total, Math.exp(2) / total, Math.exp(3) / total];
    softmax([1, 2, 3]).forEach((p, index) => expect(p).toBeCloseTo(expected[index]!, 15));
  });
  it('divides by the temperature', () => {
    expect(softmax([1, 2], 0.5)).toEqual(softmax([2, 4]));
  });
  it('does not overflow on large logits', () => {
    expect(softmax([1e4, 0])).toEqual([1, 0]);
  });
  it('sums to one and keeps the order of any logits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 20 }),
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (logits, temperature) => {
          const p = softmax(logits, temperature);
          expect(Math.abs(p.reduce((a, b) => a + b, 0) - 1)).toBeLessThan(1e-9);
          expect(p[argmax(logits)]).toBe(Math.max(...p));
        },
      ),
    );
  });
  it('is uniform when nothing is finite', () => {
    expect(softmax([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY])).toEqual([0.5, 0.5]);
    expect(softmax([])).toEqual([]);
  });
});

describe('entropyBits', () => {
  it('is log2 n for a uniform distribution and 0 for a certain one', () => {
    expect(entropyBits([0.25, 0.25, 0.25, 0.25])).toBe(2);
    expect(entropyBits([1, 0, 0])).toBe(0);
  });
});
