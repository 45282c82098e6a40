import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barChart } from '../../../renderer/routing/bars.ts';

describe('barChart', () => {
  it('puts positive bars right of zero and negative ones left of it', () => {
    const { bars, zero } = barChart([30, -10, 0]);
    expect(zero).toBeCloseTo(0.25);
    expect(bars[0]).toMatchObject({ start: 0.25, length: 0.75, isNegative: false });
    expect(bars[1]).toMatchObject({ start: 0, length: 0.25, isNegative: true });
    expect(bars[2]).toMatchObject({ length: 0 });
  });

  it('shows the probabilities that it was given, else softmax', () => {
    expect(barChart([1, 1], [0.9, 0.1]).bars.map((bar) => bar.probability)).toEqual([0.9, 0.1]);
    expect(barChart([1, 1]).bars.map((bar) => bar.probability)).toEqual([0.5, 0.5]);
  });

  it('keeps every bar inside the chart and lengths in proportion, for any numbers', () => {
    const logit = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(logit, { minLength: 1, maxLength: 10 }), (logits) => {
        const { bars, zero } = barChart(logits);
        for (const bar of bars) {
          expect(bar.start).toBeGreaterThanOrEqual(0);
          expect(bar.start + bar.length).toBeLessThanOrEqual(1 + 1e-9);
          const edge = bar.isNegative ? bar.start + bar.length : bar.start;
          expect(edge).toBeCloseTo(zero, 9);
        }
      }),
    );
  });

  it('gives a value that is no number no length', () => {
    expect(barChart([Number.NaN, 2]).bars[0]).toMatchObject({ length: 0, probability: 0 });
    expect(barChart([]).bars).toEqual([]);
  });
});
