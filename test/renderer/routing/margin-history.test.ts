import { describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import type { RouteDecision } from '../../../contracts/route.ts';
import type { RunRecord } from '../../../contracts/stored.ts';
import { marginHistory, runBoundaries } from '../../../renderer/routing/margin-history.ts';
import { acceptedRun, decisionOf } from '../../fixtures/run-events.ts';

const runOf = (id: string): RunRecord =>
  acceptedRun(id, ['Four.']).reduce(
    foldRun,
    openRun({ id, conversationId: 'c1', task: 'Q', agents: 'rehearsal', startedAt: 0 }),
  );
const decidedBy = (decision: RouteDecision): RunRecord => {
  const run = runOf('r1');
  return { ...run, turns: run.turns.map((turn) => ({ ...turn, decisions: [decision] })) };
};

describe('marginHistory', () => {
  it('counts turns over the whole conversation and marks where runs begin', () => {
    const points = marginHistory([runOf('r1'), runOf('r2'), runOf('r3')]);
    expect(points.map(({ ordinal, runOrdinal, turn }) => [ordinal, runOrdinal, turn])).toEqual([
      [1, 1, 1],
      [2, 1, 2],
      [3, 2, 1],
      [4, 2, 2],
      [5, 3, 1],
      [6, 3, 2],
    ]);
    expect(runBoundaries(points)).toEqual([2.5, 4.5]);
  });

  it('is hollow for a redirected, a pinned and a suggested turn, and full for the rest', () => {
    const isFull = (over: Partial<RouteDecision>) =>
      marginHistory([decidedBy(decisionOf(over))])[0]?.isRouters;
    expect(isFull({})).toBe(true);
    expect(isFull({ slot: { raw: 4, effective: 1, reason: { kind: 'pin' } } })).toBe(false);
    expect(
      isFull({
        role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'suggestion', turn: 1 } },
      }),
    ).toBe(false);
    expect(
      isFull({
        role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'guard', over: 'router' } },
      }),
    ).toBe(false);
    expect(
      isFull({
        slot: { raw: 4, effective: 6, reason: { kind: 'mask', over: 'router', cause: 'failed' } },
      }),
    ).toBe(true);
  });

  it('leaves out a turn that is not routed yet', () => {
    const [run] = [runOf('r1')];
    const begun = { ...run, turns: run.turns.map((turn) => ({ ...turn, decisions: [] })) };
    expect(marginHistory([begun])).toEqual([]);
  });
});
