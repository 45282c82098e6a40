import { describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import type { RouteDecision } from '../../../contracts/route.ts';
import type { RunRecord } from '../../../contracts/stored.ts';
import {
  calibratedStretches,
  marginHistory,
  runBoundaries,
  unsureOf,
} from '../../../renderer/routing/margin-history.ts';
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
    const points = marginHistory([runOf('r1'), runOf('r2'), runOf('r3')], null);
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
      marginHistory([decidedBy(decisionOf(over))], null)[0]?.isRouters;
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
    expect(marginHistory([begun], null)).toEqual([]);
  });
});

describe('floors', () => {
  const decision = decisionOf({ agentMargin: 0.24, roleMargin: 0.5 });
  const floors = {
    ...{ adapterRef: decision.adapterRef, profile: decision.profile },
    ...{ suiteHash: decision.transcriptHash, calibratedAt: 0, cases: 74, agreeing: 74 },
    ...{ agent: 0.24, role: 0.51 },
  };

  it('call a margin under them unsure, not one that equals them', () => {
    expect(unsureOf(decision, floors)).toEqual({ agent: false, role: true });
    expect(unsureOf(decision, { ...floors, role: 0 })).toEqual({ agent: false, role: false });
  });

  it('say nothing of what another router or profile decided, nor without a calibration', () => {
    expect(unsureOf(decision, null)).toBe(null);
    expect(unsureOf(decision, { ...floors, profile: 'cpu-8bit' })).toBe(null);
    expect(unsureOf(decision, { ...floors, adapterRef: 'f'.repeat(64) })).toBe(null);
  });

  it('have their bands where they apply', () => {
    const other = decisionOf({ adapterRef: 'f'.repeat(64) });
    const runs = [decision, decision, other, decision].map(decidedBy);
    const ownRuns = runs.map((run, index) => ({
      ...run,
      id: `r${index}`,
      turns: run.turns.slice(0, 1),
    }));
    const points = marginHistory(ownRuns, floors);
    expect(calibratedStretches(points)).toEqual([
      { from: 0.5, to: 2.5 },
      { from: 3.5, to: 4.5 },
    ]);
    expect(calibratedStretches(marginHistory(ownRuns, null))).toEqual([]);
  });
});
