import { createStore } from 'zustand/vanilla';
import type { Connection } from '../api.ts';

export type ConnectionPhase =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** Tried again by itself at `retryAt`. */
  | {
      readonly state: 'lost';
      readonly attempt: number;
      readonly retryAt: number;
      /** True when the host said that it is ending: its runs have ended too. */
      readonly hostEnded: boolean;
    }
  /** Only a fresh one-time address helps. */
  | { readonly state: 'needs-address' };

export interface ConnectionState {
  readonly phase: ConnectionPhase;
  readonly connection: Connection | null;
  /** True once a connection stood: what is shown may be older than the host's state, never invented. */
  readonly wasOpen: boolean;
  /** Set while a retry waits: tries at once. */
  readonly retryNow: (() => void) | null;
}

export function createConnectionStore() {
  return createStore<ConnectionState>(() => ({
    phase: { state: 'connecting' },
    connection: null,
    wasOpen: false,
    retryNow: null,
  }));
}
