import { createStore } from 'zustand/vanilla';
import type { Failure } from '../../contracts/failure.ts';

export type Page = 'chat' | 'slots' | 'settings';

/** Something a person should know; it stays until it is dismissed or said again. */
export interface Notice {
  readonly id: number;
  readonly what: string;
  /** Null for news that is no failure. */
  readonly failure: Failure | null;
}

export interface ViewState {
  readonly page: Page;
  /** The inspector as a drawer, where the window is too narrow to keep it beside the transcript. */
  readonly inspectorOpen: boolean;
  /** The same for the list of conversations. */
  readonly sidebarOpen: boolean;
  readonly shortcutsOpen: boolean;
  readonly notices: readonly Notice[];
}

export function createViewStore() {
  return createStore<ViewState>(() => ({
    page: 'chat',
    inspectorOpen: false,
    sidebarOpen: false,
    shortcutsOpen: false,
    notices: [],
  }));
}
