import type { AgentCall } from '../../contracts/agents.ts';
import type { Usage } from '../../contracts/events.ts';
import type { Clock } from '../../contracts/ports.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { costOf } from './cost.ts';
import type { PriceTable } from './price-table.ts';
import type { Spending } from './spending.ts';
import { publicUsage, usageOf, usageSoFar, type TokenCounter } from './usage.ts';
import type { ReportedUsage } from './wire/port.ts';

export interface BookingParts {
  readonly prices: PriceTable;
  readonly spending: Spending;
  readonly clock: Clock;
  readonly countTokens?: TokenCounter;
}

/** What came of one attempt's answer. */
export interface Received {
  /** All text so far, reasoning included. */
  generated: string;
  usage: ReportedUsage | null;
  resolvedModel: string | null;
}

/**
 * Writes down what an attempt cost, whether its answer is whole or broke off: a provider bills both.
 * Where the cost is unknown and the slot has a cap, the reserved worst case is booked in its place, so
 * that a cap holds without it.
 *
 * @param reservedUsd what was reserved for the attempt; null for a slot without a cap
 * @returns usage and cost as they are known, for the event of a whole answer
 */
export async function book(
  parts: BookingParts,
  binding: SlotBinding,
  call: Pick<AgentCall, 'slot' | 'view'>,
  received: Received,
  { isWhole, reservedUsd }: { readonly isWhole: boolean; readonly reservedUsd: number | null },
): Promise<{ usage: Usage | null; costUsd: number | null }> {
  const price = parts.prices.of(binding, received.resolvedModel);
  // A rehearsal spends nothing, and a chat that is not saved leaves no file behind.
  if (binding.provider === 'rehearsal') {
    const { usage } = received;
    return {
      usage: usage === null ? null : publicUsage(usage, false),
      costUsd: costOf(price, usage),
    };
  }
  const counted = isWhole ? usageOf : usageSoFar;
  const { usage, estimated } = await counted(parts, call.view, received.generated, received.usage);
  const costUsd = costOf(price, usage);
  parts.spending.add({
    slot: call.slot,
    usd: costUsd ?? reservedUsd,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    ...(estimated || (costUsd === null && reservedUsd !== null) ? { estimated: true } : {}),
  });
  return { usage: usage === null ? null : publicUsage(usage, estimated), costUsd };
}
