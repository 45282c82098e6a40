import { z } from 'zod';
import type { Clock } from '../../contracts/ports.ts';

const slotMonthSchema = z.object({
  usd: z.number().min(0),
  calls: z.number().int().min(0),
  /** Calls whose cost is unknown: they are not in `usd`. */
  unpricedCalls: z.number().int().min(0),
  inputTokens: z.number().int().min(0),
  outputTokens: z.number().int().min(0),
});
export type SlotMonth = z.infer<typeof slotMonthSchema>;

/** Month (`YYYY-MM`, UTC) to slot index to what it spent. */
export const spendingSchema = z.object({
  version: z.literal(1),
  months: z.record(z.string().regex(/^\d{4}-\d{2}$/), z.record(z.string(), slotMonthSchema)),
});
export type SpendingRecord = z.infer<typeof spendingSchema>;

/**
 * What every slot has spent in every month. A slot's position is what is counted, whatever it is bound
 * to, because the cap is the slot's too.
 */
export class Spending {
  readonly #clock: Clock;
  readonly #months: Map<string, Map<number, SlotMonth>>;
  readonly #changed: (record: SpendingRecord) => void;

  /** @param changed called with the whole record after every call, for the host to keep */
  constructor(
    clock: Clock,
    kept: SpendingRecord | null,
    changed: (record: SpendingRecord) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#changed = changed;
    this.#months = new Map(
      Object.entries(kept?.months ?? {}).map(([month, slots]) => [
        month,
        new Map(Object.entries(slots).map(([slot, spent]) => [Number(slot), spent])),
      ]),
    );
  }

  /** This month's spending of a slot in US dollars; calls of unknown cost are not in it. */
  thisMonthUsd(slot: number): number {
    return this.#months.get(this.#month())?.get(slot)?.usd ?? 0;
  }

  add(
    slot: number,
    call: { costUsd: number | null; inputTokens: number | null; outputTokens: number | null },
  ): void {
    const month = this.#month();
    const slots = this.#months.get(month) ?? new Map<number, SlotMonth>();
    this.#months.set(month, slots);
    const before = slots.get(slot) ?? nothingSpent;
    slots.set(slot, {
      usd: before.usd + (call.costUsd ?? 0),
      calls: before.calls + 1,
      unpricedCalls: before.unpricedCalls + (call.costUsd === null ? 1 : 0),
      inputTokens: before.inputTokens + (call.inputTokens ?? 0),
      outputTokens: before.outputTokens + (call.outputTokens ?? 0),
    });
    this.#changed(this.record());
  }

  record(): SpendingRecord {
    return {
      version: 1,
      months: Object.fromEntries(
        [...this.#months].map(([month, slots]) => [month, Object.fromEntries(slots)]),
      ),
    };
  }

  #month(): string {
    return new Date(this.#clock.now()).toISOString().slice(0, 7);
  }
}

const nothingSpent: SlotMonth = {
  usd: 0,
  calls: 0,
  unpricedCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
};
