import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkTokens, planRun } from '../../../model-runtime/session/run-plan.ts';

describe('planRun', () => {
  it('covers the needed tokens with calls that no kernel treats differently', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5000 }),
        fc.nat(6000),
        fc.constantFrom(chunkTokens, 30),
        (needed, cached, longest) => {
          const { reused, chunks } = planRun(needed, cached, longest);
          expect(reused).toBeLessThanOrEqual(cached);
          expect(reused + chunks.reduce((sum, length) => sum + length, 0)).toBe(needed);
          let start = reused;
          for (const length of chunks) {
            expect(start % 2).toBe(0);
            expect(length).toBeGreaterThanOrEqual(2);
            expect(length).toBeLessThanOrEqual(longest);
            expect(length % 32).not.toBe(1);
            start += length;
          }
        },
      ),
    );
  });

  it('reuses an even number of tokens, all but what must be run', () => {
    expect(planRun(200, 100)).toEqual({ reused: 100, chunks: [100] });
    expect(planRun(200, 41)).toEqual({ reused: 40, chunks: [128, 32] });
  });

  it('feeds cached tokens again where too few are left', () => {
    expect(planRun(200, 199)).toEqual({ reused: 198, chunks: [2] });
    expect(planRun(200, 999)).toEqual({ reused: 198, chunks: [2] });
    expect(planRun(199, 199)).toEqual({ reused: 196, chunks: [3] });
  });

  it('splits or shifts calls that would leave a lone row', () => {
    expect(planRun(33, 0).chunks).toEqual([30, 3]);
    expect(planRun(65, 0).chunks).toEqual([62, 3]);
    expect(planRun(129, 0).chunks).toEqual([126, 3]);
    expect(planRun(161, 0).chunks).toEqual([126, 35]);
    expect(planRun(257, 0).chunks).toEqual([128, 126, 3]);
  });

  it('runs the only token of the shortest transcript alone, whatever the cache holds', () => {
    expect(planRun(1, 0)).toEqual({ reused: 0, chunks: [1] });
    expect(planRun(1, 5)).toEqual({ reused: 0, chunks: [1] });
  });

  it('refuses a run of nothing', () => {
    expect(() => planRun(0, 0)).toThrow(RangeError);
  });
});
