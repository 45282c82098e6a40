import type { SlotBinding } from '../../contracts/slots.ts';
import { ProviderError } from './failure.ts';
import { presetOf, type Preset } from './presets.ts';

/**
 * The preset and base URL that a binding calls; a rehearsal slot has no base URL.
 *
 * @throws ProviderError `unknown_provider` or `base_url_missing`
 */
export function resolveBinding(binding: Pick<SlotBinding, 'index' | 'provider' | 'baseUrl'>): {
  preset: Preset;
  baseUrl: string | null;
} {
  const preset = presetOf(binding.provider);
  if (preset === null) {
    throw new ProviderError(
      'unknown_provider',
      `Slot ${binding.index} names the provider “${binding.provider}”, which is none of ours.`,
    );
  }
  if (preset.wireFormat === 'rehearsal') return { preset, baseUrl: null };
  const baseUrl = binding.baseUrl ?? preset.baseUrl;
  if (baseUrl === null) {
    throw new ProviderError(
      'base_url_missing',
      `Slot ${binding.index} needs a base URL: ${preset.name} has none of its own.`,
    );
  }
  return { preset, baseUrl };
}

/**
 * Checks a whole layout for a router with `count` agents: every slot bound once or named as unbound, none
 * beyond the last, every provider known and reachable by an address.
 *
 * @throws ProviderError `duplicate_slot`, `slot_out_of_range`, `slot_missing`, `unknown_provider` or
 * `base_url_missing`, for the first slot that breaks a rule
 */
export function checkLayout(
  bindings: readonly SlotBinding[],
  unbound: readonly number[],
  count: number,
): void {
  const seen = new Set<number>();
  unbound.forEach((index) => checkIndex(index, count));
  for (const binding of bindings) {
    checkIndex(binding.index, count);
    if (seen.has(binding.index)) {
      throw new ProviderError('duplicate_slot', `Slot ${binding.index} is bound more than once.`);
    }
    seen.add(binding.index);
    resolveBinding(binding);
  }
  for (let index = 0; index < count; index += 1) {
    if (!seen.has(index) && !unbound.includes(index)) {
      throw new ProviderError(
        'slot_missing',
        `Slot ${index} is neither bound nor listed under “unbound”; this router has ${count} slots, 0 to ${count - 1}.`,
      );
    }
  }
}

/** @throws ProviderError `slot_out_of_range` */
export function checkIndex(index: number, count: number): void {
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    throw new ProviderError(
      'slot_out_of_range',
      `There is no slot ${index}: this router has ${count} slots, 0 to ${count - 1}.`,
    );
  }
}

/** Headers that the connection itself needs, or that would change what a request is. */
const reservedHeaders = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** @throws ProviderError `header_reserved` */
export function checkHeaders({ index, headers }: Pick<SlotBinding, 'index' | 'headers'>): void {
  const reserved = Object.keys(headers).find((name) => reservedHeaders.has(name.toLowerCase()));
  if (reserved !== undefined) {
    throw new ProviderError(
      'header_reserved',
      `Slot ${index} cannot set the header ${reserved}: the connection needs it.`,
    );
  }
}
