import { createStore } from 'zustand/vanilla';
import type { RouterState } from '../../contracts/app/models.ts';
import type { CalibratedFloors } from '../../contracts/evals.ts';
import type { RouterSummary } from '../../contracts/manifest.ts';
import type { Availability, ProfileId } from '../../contracts/profiles.ts';

export interface RouterStoreState {
  /** Null until the host has told. */
  readonly router: RouterState | null;
  readonly available: readonly RouterSummary[];
  readonly profiles: readonly { readonly id: ProfileId; readonly availability: Availability }[];
  readonly isSelecting: boolean;
  /** What the active router's margins are measured by; null: uncalibrated. */
  readonly floors: CalibratedFloors | null;
}

export function createRouterStore() {
  return createStore<RouterStoreState>(() => ({
    router: null,
    available: [],
    profiles: [],
    isSelecting: false,
    floors: null,
  }));
}
