import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argmax, barLengths, margin, softmax } from '../../contracts/logits.ts';

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

describe('barLengths', () => {
  it('runs from nothing at the smallest logit to full at the largest, whatever the signs', () => {
    expect(barLengths([-9, -2, -5.5])).toEqual([0, 1, 0.5]);
    expect(barLengths([30, -10, 0])).toEqual([1, 0, 0.25]);
  });
  it('does not stretch logits that lie close together into a lead', () => {
    const [first = 0, second = 0] = barLengths([-3, -3.04]);
    expect(first).toBe(1);
    expect(second).toBeCloseTo(0.99);
    expect(barLengths([2, 2])).toEqual([1, 1]);
  });
  it('keeps every length within 0 and 1, and the order of the logits', () => {
    const logit = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(logit, { minLength: 1, maxLength: 10 }), (logits) => {
        const lengths = barLengths(logits);
        lengths.forEach((length, a) => {
          expect(length).toBeGreaterThanOrEqual(0);
          expect(length).toBeLessThanOrEqual(1);
          logits.forEach((logit, b) => {
            if ((logits[a] ?? 0) > logit) expect(length).toBeGreaterThanOrEqual(lengths[b] ?? 0);
          });
        });
        expect(lengths[argmax(logits)]).toBe(1);
      }),
    );
  });
  it('gives what is not finite no length', () => {
    expect(barLengths([Number.NaN, 2, Number.POSITIVE_INFINITY])).toEqual([0, 1, 0]);
    expect(barLengths([])).toEqual([]);
  });
});
