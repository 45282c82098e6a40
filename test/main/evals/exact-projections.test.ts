import { describe, expect, it } from 'vitest';
import type { ProjectionName } from '../../../contracts/profiles.ts';
import { findExactProjections } from '../../../main/evals/exact-projections.ts';

const quantised: readonly ProjectionName[] = ['q_proj', 'k_proj', 'v_proj', 'o_proj'];

/** A profile with a drift from each projection, accepted as `isAccepted` says of those in f32. */
function scripted(isAccepted: (exact: readonly ProjectionName[]) => boolean) {
  const drifts = { q_proj: 1, k_proj: 4, v_proj: 2, o_proj: 3 } as Record<ProjectionName, number>;
  const asked: string[] = [];
  const measure = (exact: readonly ProjectionName[]) => {
    asked.push(exact.join(' '));
    const rmsDrift = quantised
      .filter((name) => !exact.includes(name))
      .reduce((sum, name) => sum + drifts[name], 0);
    return Promise.resolve({ rmsDrift, refusals: isAccepted(exact) ? [] : ['a: refused'] });
  };
  return { asked, find: () => findExactProjections(quantised, measure) };
}

const alone = ['q_proj', 'k_proj', 'v_proj', 'o_proj'];

describe('findExactProjections', () => {
  it('keeps one projection where it suffices, of several the one that leaves the least drift', async () => {
    const { asked, find } = scripted((exact) => !exact.includes('k_proj'));
    expect(await find()).toEqual({ exact: ['o_proj'], measured: { rmsDrift: 7, refusals: [] } });
    expect(asked).toEqual(alone);
  });

  it('joins projections in the order of the drift that each removes, and no more than are needed', async () => {
    const { asked, find } = scripted((exact) => exact.length > 2);
    expect(await find()).toEqual({
      exact: ['k_proj', 'o_proj', 'v_proj'],
      measured: { rmsDrift: 1, refusals: [] },
    });
    expect(asked).toEqual([...alone, 'k_proj o_proj', 'k_proj o_proj v_proj']);
  });

  it('gives nothing after 2n - 1 measurements where no projection helps', async () => {
    const { asked, find } = scripted(() => false);
    expect(await find()).toBe(null);
    expect(asked).toHaveLength(7);
    expect(asked.at(-1)).toBe('k_proj o_proj v_proj q_proj');
  });
});
