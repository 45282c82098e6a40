import type { CostEstimate } from '../contracts/agents.ts';
import type { Budgets } from '../contracts/budgets.ts';
import type { BudgetKind } from '../contracts/events.ts';

/** What a run has used. */
export interface Spent {
  readonly turns: number;
  /** Provider calls begun, retries included. */
  readonly calls: number;
  /** Verdicts that did not accept. */
  readonly revisions: number;
  readonly costUsd: number;
  /** Since the run started. */
  readonly elapsedMs: number;
}

/**
 * The budget that forbids another turn, or null. Looked at before every turn, in this order:
 *
 * - `turns`: complete turns >= maxTurns;
 * - `wall_time`: elapsed >= maxWallMs (also a deadline: it aborts the call in flight);
 * - `calls`: calls begun >= maxCalls, so that N calls are made and the N+1st is not;
 * - `revisions`: revisions > maxRevisions, so that N revisions are followed by another turn.
 */
export function forbidsTurn(budgets: Budgets, spent: Spent): BudgetKind | null {
  if (spent.turns >= budgets.maxTurns) return 'turns';
  if (reached(spent.elapsedMs, budgets.maxWallMs)) return 'wall_time';
  if (reached(spent.calls, budgets.maxCalls)) return 'calls';
  if (budgets.maxRevisions !== undefined && spent.revisions > budgets.maxRevisions) {
    return 'revisions';
  }
  return null;
}

/** What is to be done about a call that is about to be made. */
export type CallPermission =
  | { readonly kind: 'granted' }
  | { readonly kind: 'exhausted'; readonly budget: 'calls' | 'cost' }
  /** Under a cost limit the price is not known; `reason` says why. */
  | { readonly kind: 'unknown_price'; readonly reason: string };

/**
 * Whether one more provider call, a retry included, may be made: calls begun < maxCalls, and
 * spent + worst case <= maxCostUsd (compared in whole nano-dollars, so that sums of prices compare as
 * written). An unknown price under a cost limit is refused unless `allowUnknownPrices`; without a cost
 * limit the estimate does not matter.
 */
export function permitsCall(
  budgets: Budgets,
  spent: Spent,
  estimate: CostEstimate,
): CallPermission {
  if (reached(spent.calls, budgets.maxCalls)) return { kind: 'exhausted', budget: 'calls' };
  if (budgets.maxCostUsd === undefined) return { kind: 'granted' };
  if (estimate.usd === null) {
    return budgets.allowUnknownPrices
      ? { kind: 'granted' }
      : { kind: 'unknown_price', reason: estimate.reason };
  }
  return nano(spent.costUsd + estimate.usd) > nano(budgets.maxCostUsd)
    ? { kind: 'exhausted', budget: 'cost' }
    : { kind: 'granted' };
}

/**
 * What a call that is over adds to the cost: what the provider's usage came to, else its worst case,
 * else (both unknown) nothing. A call that the provider refused with an HTTP status (400 and above) costs nothing;
 * one that broke off may have been charged, so it counts at its worst case. One that was never sent is
 * not asked about here.
 */
export function costOf(
  call:
    | { readonly outcome: 'finished'; readonly costUsd: number | null }
    | { readonly outcome: 'failed'; readonly httpStatus: number | null },
  estimate: CostEstimate,
): number {
  if (call.outcome === 'failed') return (call.httpStatus ?? 0) >= 400 ? 0 : (estimate.usd ?? 0);
  return call.costUsd ?? estimate.usd ?? 0;
}

function reached(observed: number, limit: number | undefined): boolean {
  return limit !== undefined && observed >= limit;
}

function nano(usd: number): number {
  return Math.round(usd * 1e9);
}
