import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkTokens, planRun } from '../../../model-runtime/session/run-plan.ts';

describe('planRun', () => {
  it('covers the needed tokens with calls that no kernel treats differently', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5000 }), fc.nat(6000), (needed, cached) => {
        const { reused, chunks } = planRun(needed, cached);
        expect(reused).toBeLessThanOrEqual(cached);
        expect(reused + chunks.reduce((sum, length) => sum + length, 0)).toBe(needed);
        for (const length of chunks) {
          expect(length).toBeGreaterThanOrEqual(2);
          expect(length).toBeLessThanOrEqual(chunkTokens);
          expect(length % 64).not.toBe(1);
        }
      }),
    );
  });

  it('reuses all but what must be run', () => {
    expect(planRun(200, 100)).toEqual({ reused: 100, chunks: [100] });
    expect(planRun(200, 40)).toEqual({ reused: 40, chunks: [128, 32] });
  });

  it('feeds one cached token again where a single token is left', () => {
    expect(planRun(200, 199)).toEqual({ reused: 198, chunks: [2] });
    expect(planRun(200, 200)).toEqual({ reused: 198, chunks: [2] });
    expect(planRun(200, 999)).toEqual({ reused: 198, chunks: [2] });
  });

  it('splits a call of 65 and one of 129 tokens', () => {
    expect(planRun(65, 0).chunks).toEqual([63, 2]);
    expect(planRun(129, 0).chunks).toEqual([126, 3]);
    expect(planRun(193, 0).chunks).toEqual([128, 63, 2]);
  });

  it('runs the only token of the shortest transcript alone, whatever the cache holds', () => {
    expect(planRun(1, 0)).toEqual({ reused: 0, chunks: [1] });
    expect(planRun(1, 5)).toEqual({ reused: 0, chunks: [1] });
  });

  it('refuses a run of nothing', () => {
    expect(() => planRun(0, 0)).toThrow(RangeError);
  });
});
