import type { SlotBinding, SlotLayout } from '../../contracts/slots.ts';
import { resolveBinding } from './layout.ts';

/**
 * The layout of a router with `count` slots, without anything that opens a key: what a person may hand to
 * somebody else. Slots that only another router has are not in it.
 */
export function exportLayout(bindings: readonly SlotBinding[], count: number): SlotLayout {
  const ours = bindings.filter(({ index }) => index < count);
  return {
    format: 'trinity-slots',
    version: 1,
    slots: ours
      .toSorted((a, b) => a.index - b.index)
      .map(({ keyRef: _key, headers, ...binding }) => ({
        ...binding,
        headerNames: Object.keys(headers).toSorted(),
      })),
    unbound: Array.from({ length: count }, (_, index) => index).filter(
      (index) => !ours.some((binding) => binding.index === index),
    ),
  };
}

/**
 * Bindings of an imported layout. A slot keeps the key and headers it has now if its provider's origin
 * stays the same; a slot that moves to another origin starts without.
 *
 * @throws ProviderError `unknown_provider` or `base_url_missing`
 */
export function importLayout(layout: SlotLayout, current: readonly SlotBinding[]): SlotBinding[] {
  return layout.slots.map(({ headerNames, ...slot }) => {
    const binding: SlotBinding = { ...slot, keyRef: null, headers: {} };
    const before = current.find(({ index }) => index === slot.index);
    const origin = originOf(binding);
    if (before === undefined || origin === null || originOf(before) !== origin) return binding;
    return {
      ...binding,
      keyRef: before.keyRef,
      headers: Object.fromEntries(
        Object.entries(before.headers).filter(([name]) => headerNames.includes(name)),
      ),
    };
  });
}

function originOf(binding: SlotBinding): string | null {
  const { baseUrl } = resolveBinding(binding);
  return baseUrl === null ? null : new URL(baseUrl).origin;
}
