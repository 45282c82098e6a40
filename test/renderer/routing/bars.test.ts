import { describe, expect, it } from 'vitest';
import { logitBars } from '../../../renderer/routing/bars.ts';

describe('logitBars', () => {
  it('gives the choice of all-negative logits the longest bar', () => {
    const lengths = logitBars([-9, -2, -5.5]).map(({ length }) => length);
    expect(lengths).toEqual([0, 1, 0.5]);
  });

  it('shows the probabilities that it was given, else softmax', () => {
    expect(logitBars([1, 1], [0.9, 0.1]).map((bar) => bar.probability)).toEqual([0.9, 0.1]);
    expect(logitBars([1, 1]).map((bar) => bar.probability)).toEqual([0.5, 0.5]);
  });

  it('gives a value that is no number no length', () => {
    expect(logitBars([Number.NaN, 2])[0]).toMatchObject({ length: 0, probability: 0 });
    expect(logitBars([])).toEqual([]);
  });
});
