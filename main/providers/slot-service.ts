import type { SlotTest, SlotView } from '../../contracts/app/slots.ts';
import type { KeyScheme, SecretKind, VaultItem } from '../../contracts/keys.ts';
import type { Clock, HttpClient, KeyVault } from '../../contracts/ports.ts';
import { defaultSlotName, type SlotBinding, type SlotLayout } from '../../contracts/slots.ts';
import { keyItemOf } from './credentials.ts';
import { ProviderError } from './failure.ts';
import type { HealthBook } from './health.ts';
import { cleanHeaderValue, cleanKey } from './key-shape.ts';
import { checkHeaders, checkIndex, checkLayout, resolveBinding } from './layout.ts';
import { exportLayout, importLayout } from './layout-file.ts';
import type { Preset } from './presets.ts';
import type { PriceTable } from './price-table.ts';
import { listModels, testSlot } from './slot-test.ts';

/** Where the layout is kept: the settings, seen through the hole that this room needs. */
export interface BindingStore {
  read(): readonly SlotBinding[];
  update(change: (bindings: readonly SlotBinding[]) => readonly SlotBinding[]): Promise<unknown>;
}

export interface SlotServiceParts {
  readonly store: BindingStore;
  readonly vault: KeyVault;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly health: HealthBook;
  readonly prices: PriceTable;
  readonly settleMs: number;
  /** Labels of the active router's agents, one a slot: training metadata. */
  agentLabels(): readonly string[];
}

/** Binds slots, keeps their keys to themselves, tests them. What a window may ask about slots ends here. */
export class SlotService {
  readonly #parts: SlotServiceParts;

  constructor(parts: SlotServiceParts) {
    this.#parts = parts;
  }

  async list(): Promise<SlotView[]> {
    const items = await this.#parts.vault.list();
    return this.#parts.agentLabels().map((_, index) => this.#view(index, items));
  }

  /** @throws ProviderError `slot_out_of_range`, `unknown_provider`, `base_url_missing`, `header_reserved` */
  async set(binding: SlotBinding): Promise<SlotView> {
    const { store, vault, agentLabels } = this.#parts;
    checkIndex(binding.index, agentLabels().length);
    checkHeaders(binding);
    const items = await vault.list();
    const safe = withoutForeignKeys(binding, items);
    await store.update((bindings) => [
      ...bindings.filter(({ index }) => index !== binding.index),
      safe,
    ]);
    this.#parts.health.forget(binding.index);
    return this.#view(binding.index, items);
  }

  /** The same provider, model and key for every slot of the router. */
  async setAll(input: Omit<SlotBinding, 'index' | 'name'>): Promise<SlotView[]> {
    const { store, vault, health, agentLabels } = this.#parts;
    const items = await vault.list();
    resolveBinding({ ...input, index: 0 });
    checkHeaders({ ...input, index: 0 });
    const bindings = agentLabels().map((_, index) =>
      withoutForeignKeys({ ...input, index, name: defaultSlotName(index, input.model) }, items),
    );
    await store.update((before) => [
      ...bindings,
      // Slots that only another router has keep what they were bound to.
      ...before.filter(({ index }) => index >= bindings.length),
    ]);
    bindings.forEach(({ index }) => health.forget(index));
    return this.list();
  }

  async clear(index: number): Promise<void> {
    await this.#parts.store.update((bindings) =>
      bindings.filter((binding) => binding.index !== index),
    );
    this.#parts.health.forget(index);
  }

  /** @throws ProviderError `key_shape` when the text cannot be a key or the value of a header */
  async putKey(
    secret: string,
    baseUrl: string,
    scheme: KeyScheme,
    kind: SecretKind = 'key',
  ): Promise<VaultItem> {
    const clean = kind === 'key' ? cleanKey(secret) : cleanHeaderValue(secret);
    return this.#parts.vault.put(clean, new URL(baseUrl).origin, scheme, kind);
  }

  /** Forgets a key, also where slots name it. */
  async removeKey(id: string): Promise<void> {
    await this.#parts.vault.remove(id);
    await this.#parts.store.update((bindings) =>
      bindings.map((binding) => ({
        ...binding,
        keyRef: binding.keyRef === id ? null : binding.keyRef,
        headers: Object.fromEntries(
          Object.entries(binding.headers).filter(([, keyRef]) => keyRef !== id),
        ),
      })),
    );
  }

  async test(index: number, call: boolean, signal: AbortSignal): Promise<SlotTest> {
    const result = await testSlot(this.#parts, this.#binding(index), { index, call }, signal);
    const { health } = this.#parts;
    // A slot that was set aside is back as soon as a person has seen it work, and one that worked until now
    // is not said to work after its test has failed.
    if (result.ok || health.of(index).state === 'healthy') health.forget(index);
    return result;
  }

  /** @throws ProviderError when the provider cannot be asked */
  models(index: number, signal: AbortSignal): Promise<string[]> {
    return listModels(this.#parts, this.#binding(index), signal);
  }

  export(): SlotLayout {
    const { store, agentLabels } = this.#parts;
    return exportLayout(store.read(), agentLabels().length);
  }

  /** @throws ProviderError as `checkLayout` does; then nothing changes */
  async import(layout: SlotLayout): Promise<SlotView[]> {
    const { store, health, agentLabels } = this.#parts;
    const imported = importLayout(layout, store.read());
    const count = agentLabels().length;
    checkLayout(imported, layout.unbound, count);
    await store.update((before) => [
      ...imported,
      // Slots that only another router has keep what they were bound to.
      ...before.filter(({ index }) => index >= count),
    ]);
    agentLabels().forEach((_, index) => health.forget(index));
    return this.list();
  }

  #binding(index: number): SlotBinding | null {
    checkIndex(index, this.#parts.agentLabels().length);
    return this.#parts.store.read().find((binding) => binding.index === index) ?? null;
  }

  #view(index: number, items: readonly VaultItem[]): SlotView {
    const { health, prices, agentLabels } = this.#parts;
    const binding = this.#binding(index);
    return {
      index,
      checkpointLabel: agentLabels()[index] ?? '',
      binding,
      key: binding === null ? null : keyOf(binding, items),
      health: health.of(index),
      price: binding === null ? null : prices.shown(binding),
    };
  }
}

/** The item of the key that a binding's calls use; null for none, or for a binding that calls nobody. */
function keyOf(binding: SlotBinding, items: readonly VaultItem[]): VaultItem | null {
  try {
    const target = targetOf(binding);
    return target === null ? null : keyItemOf(items, binding, target.preset, target.origin);
  } catch (error) {
    // A layout that no longer resolves is still shown, so that it can be put right.
    if (error instanceof ProviderError) return null;
    throw error;
  }
}

function targetOf(binding: SlotBinding): { preset: Preset; origin: string } | null {
  const { preset, baseUrl } = resolveBinding(binding);
  return baseUrl === null ? null : { preset, origin: new URL(baseUrl).origin };
}

/**
 * The binding without keys that are gone or were entered for another origin: a changed base URL needs its
 * key again.
 */
export function withoutForeignKeys(binding: SlotBinding, items: readonly VaultItem[]): SlotBinding {
  const target = targetOf(binding);
  const isOurs = (keyRef: string | null): keyRef is string =>
    keyRef !== null && items.some(({ id, origin }) => id === keyRef && origin === target?.origin);
  return {
    ...binding,
    keyRef: isOurs(binding.keyRef) ? binding.keyRef : null,
    headers: Object.fromEntries(
      Object.entries(binding.headers).filter(([, keyRef]) => isOurs(keyRef)),
    ),
  };
}
