import { z } from 'zod';
import type { SlotSpending } from '../../contracts/app/slots.ts';
import type { Clock } from '../../contracts/ports.ts';
import { monthOf, type MonthlyLog } from './monthly-log.ts';

/** One finished call, as the spending files keep it. */
export const spendingLineSchema = z.object({
  at: z.number(),
  slot: z.number().int().min(0),
  /** Null when unknown. */
  usd: z.number().min(0).nullable(),
  inputTokens: z.number().int().min(0).nullable(),
  outputTokens: z.number().int().min(0).nullable(),
});
export type SpendingLine = z.infer<typeof spendingLineSchema>;

/**
 * What every slot has spent in every month. A slot's position is what is counted, whatever it is bound
 * to, because the cap is the slot's too.
 */
export class Spending {
  readonly #clock: Clock;
  readonly #log: MonthlyLog<SpendingLine> | null;
  readonly #totals = new Map<string, SlotSpending>();

  private constructor(clock: Clock, log: MonthlyLog<SpendingLine> | null) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Goes on where this month's file ends; without a log it counts in memory. */
  static async open(clock: Clock, log: MonthlyLog<SpendingLine> | null): Promise<Spending> {
    const spending = new Spending(clock, log);
    for (const line of (await log?.read()) ?? []) spending.#count(line);
    return spending;
  }

  static inMemory(clock: Clock): Spending {
    return new Spending(clock, null);
  }

  /** This month's spending of a slot in US dollars; calls of unknown cost are not in it. */
  thisMonthUsd(slot: number): number {
    return this.#totals.get(keyOf(monthOf(this.#clock.now()), slot))?.usd ?? 0;
  }

  add(call: Omit<SpendingLine, 'at'>): void {
    const line = { at: this.#clock.now(), ...call };
    this.#count(line);
    this.#log?.append(line);
  }

  /** Totals by slot and month, newest month first. */
  totals(): SlotSpending[] {
    return [...this.#totals.values()].sort(
      (a, b) => b.month.localeCompare(a.month) || a.slot - b.slot,
    );
  }

  #count({ at, slot, usd, inputTokens, outputTokens }: SpendingLine): void {
    const month = monthOf(at);
    const before = this.#totals.get(keyOf(month, slot));
    this.#totals.set(keyOf(month, slot), {
      slot,
      month,
      usd: (before?.usd ?? 0) + (usd ?? 0),
      calls: (before?.calls ?? 0) + 1,
      unpricedCalls: (before?.unpricedCalls ?? 0) + (usd === null ? 1 : 0),
      inputTokens: (before?.inputTokens ?? 0) + (inputTokens ?? 0),
      outputTokens: (before?.outputTokens ?? 0) + (outputTokens ?? 0),
    });
  }
}

function keyOf(month: string, slot: number): string {
  return `${month}/${slot}`;
}
