import type { RouterState } from '../../contracts/app/models.ts';
import type { RouterSummary } from '../../contracts/manifest.ts';
import type { Availability, ProfileId } from '../../contracts/profiles.ts';
import type { Router } from '../../contracts/router.ts';

/** What the app needs of the model runtime. */
export interface RouterRuntime {
  /** Routers on this machine, the demo router first. */
  list(): Promise<RouterSummary[]>;
  /** Every profile, and whether it can be used here. */
  profiles(): Promise<{ readonly id: ProfileId; readonly availability: Availability }[]>;
  /**
   * Opens a router by its name (`demo`, an id of the list, a path), building the demo router if it is
   * not there yet. Phases are reported from now until it is closed.
   *
   * Rejects with the runtime's typed error.
   */
  open(request: {
    readonly router: string;
    readonly profile: ProfileId;
    readonly onPhase: (phase: RouterState['phase']) => void;
    readonly signal: AbortSignal;
  }): Promise<OpenedRouter>;
}

/** A router that can be asked. Its process starts when it is asked first. */
export interface OpenedRouter extends Router {
  readonly summary: RouterSummary;
  /** Starts the process and loads the router, so that the first question finds it ready. */
  warm(): Promise<void>;
  close(): Promise<void>;
}
