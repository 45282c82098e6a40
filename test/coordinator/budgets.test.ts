import { describe, expect, it } from 'vitest';
import { budgetsSchema, type Budgets } from '../../contracts/budgets.ts';
import { costOf, forbidsTurn, permitsCall, type Spent } from '../../coordinator/budgets.ts';

const nothing: Spent = { turns: 0, calls: 0, revisions: 0, costUsd: 0, elapsedMs: 0 };
const budgets = (given: Partial<Budgets>) => budgetsSchema.parse({ maxTurns: 50, ...given });
const known = (usd: number) => ({ usd, reason: '' });
const unknown = { usd: null, reason: 'No price is known for this model.' };

describe('forbidsTurn', () => {
  it.each([
    ['turns', { maxTurns: 3 }, { turns: 2 }, { turns: 3 }],
    ['calls', { maxCalls: 3 }, { calls: 2 }, { calls: 3 }],
    ['wall_time', { maxWallMs: 1000 }, { elapsedMs: 999 }, { elapsedMs: 1000 }],
    ['revisions', { maxRevisions: 2 }, { revisions: 2 }, { revisions: 3 }],
    ['revisions', { maxRevisions: 0 }, { revisions: 0 }, { revisions: 1 }],
  ] as const)('has %s on both sides of its boundary', (kind, limit, within, beyond) => {
    expect(forbidsTurn(budgets(limit), { ...nothing, ...within })).toBeNull();
    expect(forbidsTurn(budgets(limit), { ...nothing, ...beyond })).toBe(kind);
  });

  it('limits nothing that has no limit', () => {
    const much = { turns: 49, calls: 1e6, revisions: 1e6, costUsd: 1e6, elapsedMs: 1e9 };
    expect(forbidsTurn(budgets({}), much)).toBeNull();
  });

  it('names one budget when several are used up', () => {
    const all = budgets({ maxTurns: 1, maxCalls: 1, maxWallMs: 1, maxRevisions: 0 });
    expect(forbidsTurn(all, { turns: 1, calls: 1, revisions: 1, costUsd: 0, elapsedMs: 1 })).toBe(
      'turns',
    );
  });
});

describe('permitsCall', () => {
  it('has calls on both sides of its boundary', () => {
    const limited = budgets({ maxCalls: 3 });
    expect(permitsCall(limited, { ...nothing, calls: 2 }, unknown).kind).toBe('granted');
    expect(permitsCall(limited, { ...nothing, calls: 3 }, unknown)).toEqual({
      kind: 'exhausted',
      budget: 'calls',
    });
  });

  it('grants a call that may cost exactly what is left, and refuses one above', () => {
    const limited = budgets({ maxCostUsd: 0.3 });
    expect(permitsCall(limited, { ...nothing, costUsd: 0.1 }, known(0.2)).kind).toBe('granted');
    expect(permitsCall(limited, { ...nothing, costUsd: 0.1 }, known(0.200001))).toEqual({
      kind: 'exhausted',
      budget: 'cost',
    });
  });

  it('refuses an unknown price under a cost limit, unless it is allowed', () => {
    const limited = budgets({ maxCostUsd: 1 });
    expect(permitsCall(limited, nothing, unknown)).toEqual({
      kind: 'unknown_price',
      reason: unknown.reason,
    });
    const allowed = budgets({ maxCostUsd: 1, allowUnknownPrices: true });
    expect(permitsCall(allowed, nothing, unknown).kind).toBe('granted');
  });

  it('does not ask for a price without a cost limit', () => {
    expect(permitsCall(budgets({}), { ...nothing, costUsd: 1e6 }, unknown).kind).toBe('granted');
  });
});

describe('costOf', () => {
  it('is what the provider came to, else the worst case, else nothing', () => {
    expect(costOf({ outcome: 'finished', costUsd: 0.01 }, known(0.5))).toBe(0.01);
    expect(costOf({ outcome: 'finished', costUsd: null }, known(0.5))).toBe(0.5);
    expect(costOf({ outcome: 'finished', costUsd: null }, unknown)).toBe(0);
  });

  it('is nothing for a call that was refused, and the worst case for one that broke off', () => {
    expect(costOf({ outcome: 'failed', httpStatus: 429 }, known(0.5))).toBe(0);
    expect(costOf({ outcome: 'failed', httpStatus: null }, known(0.5))).toBe(0.5);
    expect(costOf({ outcome: 'failed', httpStatus: 200 }, known(0.5))).toBe(0.5);
    expect(costOf({ outcome: 'failed', httpStatus: 400 }, known(0.5))).toBe(0);
  });
});
