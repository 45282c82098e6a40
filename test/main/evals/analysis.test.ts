import { describe, expect, it } from 'vitest';
import { accuracyByMargin, histogram } from '../../../main/evals/analysis.ts';

describe('histogram', () => {
  it('puts every value in a bin, the largest in the last', () => {
    const bins = histogram([0, 1, 2, 3, 4, 5, 6, 8]);
    expect(bins).toHaveLength(4);
    expect(bins.map((bin) => bin.count)).toEqual([2, 2, 2, 2]);
    expect(bins.at(-1)).toMatchObject({ from: 6, to: 8 });
  });
  it('copes with nothing and with equal values', () => {
    expect(histogram([])).toEqual([]);
    expect(histogram([0, 0])).toEqual([{ from: 0, to: 0, count: 2 }]);
  });
});

describe('accuracyByMargin', () => {
  it('gives accuracy and coverage of the cases at or above each margin, ties together', () => {
    expect(
      accuracyByMargin([
        { margin: 1, isRight: false },
        { margin: 3, isRight: true },
        { margin: 2, isRight: true },
        { margin: 2, isRight: false },
      ]),
    ).toEqual([
      { margin: 3, accuracy: 1, coverage: 0.25 },
      { margin: 2, accuracy: 2 / 3, coverage: 0.75 },
      { margin: 1, accuracy: 0.5, coverage: 1 },
    ]);
  });
  it('thins a long curve and keeps both ends', () => {
    const judged = Array.from({ length: 5000 }, (_, index) => ({ margin: index, isRight: true }));
    const curve = accuracyByMargin(judged);
    expect(curve).toHaveLength(200);
    expect([curve[0]?.margin, curve.at(-1)?.margin]).toEqual([4999, 0]);
  });
});
