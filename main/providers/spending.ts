import { z } from 'zod';
import type { SlotSpending } from '../../contracts/app/slots.ts';
import type { Clock } from '../../contracts/ports.ts';
import { monthOf, type MonthlyLog } from './monthly-log.ts';

/** One call that was answered, wholly or in part, as the spending files keep it. */
export const spendingLineSchema = z.object({
  at: z.number(),
  slot: z.number().int().min(0),
  /** Null when unknown. */
  usd: z.number().min(0).nullable(),
  inputTokens: z.number().int().min(0).nullable(),
  outputTokens: z.number().int().min(0).nullable(),
  /** Tokens were counted here, or the cost is the worst case: the provider did not say. */
  estimated: z.boolean().optional(),
  /** The program that wrote the line; absent in older files. */
  writer: z.string().optional(),
});
export type SpendingLine = z.infer<typeof spendingLineSchema>;

/**
 * What every slot has spent in every month. A slot's position is what is counted, whatever it is bound
 * to, because the cap is the slot's too. Programs that run beside each other share the files, and each
 * counts what the others have written.
 */
export class Spending {
  readonly #clock: Clock;
  readonly #log: MonthlyLog<SpendingLine> | null;
  readonly #writer: string;
  readonly #totals = new Map<string, SlotSpending>();
  readonly #reserved = new Map<number, Set<{ readonly usd: number }>>();

  private constructor(clock: Clock, log: MonthlyLog<SpendingLine> | null, writer: string) {
    this.#clock = clock;
    this.#log = log;
    this.#writer = writer;
  }

  /**
   * Goes on where this month's file ends; without a log it counts in memory.
   *
   * @param writer a name that no other program has, by which this one knows its own lines
   */
  static async open(
    clock: Clock,
    log: MonthlyLog<SpendingLine> | null,
    writer: string,
  ): Promise<Spending> {
    const spending = new Spending(clock, log, writer);
    for (const line of (await log?.readNew()) ?? []) spending.#count(line);
    return spending;
  }

  static inMemory(clock: Clock): Spending {
    return new Spending(clock, null, '');
  }

  /** Counts what other programs have written since. Throws the file system's error. */
  async catchUp(): Promise<void> {
    for (const line of (await this.#log?.readNew()) ?? []) {
      if (line.writer !== this.#writer) this.#count(line);
    }
  }

  /** This month's spending of a slot in US dollars; calls of unknown cost are not in it. */
  thisMonthUsd(slot: number): number {
    return this.#totals.get(keyOf(monthOf(this.#clock.now()), slot))?.usd ?? 0;
  }

  /**
   * Sets aside what a call may cost at most, if that fits under the slot's cap beside what is spent and
   * what other calls have set aside.
   *
   * @returns the function that gives it back, once the call's cost is booked; null when it does not fit
   */
  reserve(slot: number, usd: number, capUsd: number): (() => void) | null {
    const reserved = this.#reserved.get(slot) ?? new Set();
    const taken = [...reserved].reduce((sum, other) => sum + other.usd, 0);
    if (this.thisMonthUsd(slot) + taken + usd > capUsd) return null;
    const own = { usd };
    this.#reserved.set(slot, reserved.add(own));
    return () => void reserved.delete(own);
  }

  add(call: Omit<SpendingLine, 'at' | 'writer'>): void {
    const line = { at: this.#clock.now(), ...call };
    this.#count(line);
    this.#log?.append({ ...line, writer: this.#writer });
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
