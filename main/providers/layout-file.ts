import type { SlotBinding, SlotLayout } from '../../contracts/slots.ts';
import { resolveBinding } from './layout.ts';

/** The layout without anything that opens a key: what a person may hand to somebody else. */
export function exportLayout(bindings: readonly SlotBinding[]): SlotLayout {
  return {
    format: 'trinity-slots',
    version: 1,
    slots: bindings
      .toSorted((a, b) => a.index - b.index)
      .map(({ keyRef: _key, headers, ...binding }) => ({
        ...binding,
        headerNames: Object.keys(headers).toSorted(),
      })),
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
