import type { AgentCall } from '../../contracts/agents.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { worstCaseCost } from './cost.ts';
import { ProviderError } from './failure.ts';
import type { PriceTable } from './price-table.ts';
import type { Spending } from './spending.ts';

export interface AdmissionParts {
  /** The layout as it is set now. */
  bindings(): readonly SlotBinding[];
  readonly prices: PriceTable;
  readonly spending: Spending;
}

/** A call that may be made, with what its slot's cap has set aside for it. */
export interface Admitted {
  readonly binding: SlotBinding;
  /** Null for a slot without a cap. */
  readonly reservedUsd: number | null;
  giveBack(): void;
}

/**
 * Admits a call that has its permit. The layout is read anew, because the call may have waited long; the
 * cap is held against what is spent by now, by other programs too, and what other calls may still spend.
 *
 * @throws ProviderError `slot_missing`, `slot_disabled`, `price_unknown` or `spending_cap`
 */
export async function admit(parts: AdmissionParts, call: AgentCall): Promise<Admitted> {
  const { spending } = parts;
  if (callableBinding(parts, call).monthlyCapUsd !== undefined) await catchUp(spending, call.slot);
  const binding = callableBinding(parts, call);
  const cap = binding.monthlyCapUsd;
  if (cap === undefined) return { binding, reservedUsd: null, giveBack: () => undefined };
  const { usd, reason } = worstCaseCost(binding, call, parts.prices);
  if (usd === null) throw new ProviderError('price_unknown', reason);
  const giveBack = spending.reserve(call.slot, usd, cap);
  if (giveBack === null) {
    throw new ProviderError(
      'spending_cap',
      `Slot ${call.slot} could exceed its cap of $${cap} for this month with this call.`,
    );
  }
  return { binding, reservedUsd: usd, giveBack };
}

/**
 * The binding that a call goes to.
 *
 * @throws ProviderError `slot_missing` or `slot_disabled`
 */
export function callableBinding(parts: AdmissionParts, call: AgentCall): SlotBinding {
  const binding = bindingOf(parts, call.slot);
  if (binding === null) {
    throw new ProviderError('slot_missing', `Slot ${call.slot} is not bound to a provider.`);
  }
  if (!binding.enabled) {
    throw new ProviderError('slot_disabled', `Slot ${call.slot} is switched off.`);
  }
  return binding;
}

/** The slot's binding, whether it may be called or not; null when it has none. */
export function bindingOf(
  parts: Pick<AdmissionParts, 'bindings'>,
  slot: number,
): SlotBinding | null {
  return parts.bindings().find(({ index }) => index === slot) ?? null;
}

async function catchUp(spending: Spending, slot: number): Promise<void> {
  try {
    await spending.catchUp();
  } catch (cause) {
    throw new ProviderError(
      'spending_cap',
      `The file of this month’s spending cannot be read, so the cap of slot ${slot} cannot be kept. Make the data folder readable, or remove the cap.`,
      { cause },
    );
  }
}
