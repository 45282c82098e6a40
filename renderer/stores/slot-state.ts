import { createStore } from 'zustand/vanilla';
import type {
  ProviderPreset,
  SlotSpending,
  SlotTest,
  SlotView,
} from '../../contracts/app/slots.ts';
import type { KeyScheme, VaultItem } from '../../contracts/keys.ts';

export type TestState =
  { readonly phase: 'testing' } | { readonly phase: 'done'; result: SlotTest };

export interface SlotStoreState {
  readonly slots: readonly SlotView[];
  readonly presets: readonly ProviderPreset[];
  readonly schemes: readonly { readonly scheme: KeyScheme; readonly explanation: string }[];
  readonly keys: readonly VaultItem[];
  /** The latest test by slot index. */
  readonly tests: Readonly<Record<number, TestState>>;
  readonly spending: readonly SlotSpending[];
  readonly phase: 'loading' | 'ready';
}

export function createSlotStore() {
  return createStore<SlotStoreState>(() => ({
    slots: [],
    presets: [],
    schemes: [],
    keys: [],
    tests: {},
    spending: [],
    phase: 'loading',
  }));
}
