import { createStore } from 'zustand/vanilla';
import type { About } from '../../contracts/app/settings.ts';
import type { Settings } from '../../contracts/settings.ts';
import type { SessionPorts } from './session-ports.ts';

export type Theme = Settings['theme'];
export const themeItem = 'trinity.theme';

export interface SettingsState {
  /** Null until the host has told. */
  readonly settings: Settings | null;
  readonly about: About | null;
  /** Known before the host answers, so that the first paint has the right colours. */
  readonly theme: Theme;
}

export function createSettingsStore(memory: SessionPorts['memory']) {
  const kept = memory.getItem(themeItem);
  const theme: Theme = kept === 'light' || kept === 'dark' ? kept : 'system';
  return createStore<SettingsState>(() => ({ settings: null, about: null, theme }));
}
