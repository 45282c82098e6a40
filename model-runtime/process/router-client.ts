import type { RouterState } from '../../contracts/app/models.ts';
import type { Availability, PrecisionMap, ProfileId } from '../../contracts/profiles.ts';
import type { RouteLogits, RouteRequest } from '../../contracts/route.ts';
import type { RouteOptions, Router } from '../../contracts/router.ts';
import type { RouterSummary } from '../../contracts/manifest.ts';
import { resolveRouter } from '../artifact/naming.ts';
import { listRouters } from '../artifact/router-directory.ts';
import { cancelled, RuntimeError } from '../runtime-error.ts';
import type { RouterClientOptions } from './client-options.ts';
import { ProfileProbes } from './profile-probes.ts';
import { Selection } from './selection.ts';
import { StateFeed } from './state-feed.ts';

export interface SelectOptions {
  /** Folders in which the base may lie, looked at before those of the client. */
  readonly baseFolders?: readonly string[];
  /** Precision of the projections, in place of the calibrated one and the profile's own. */
  readonly precision?: PrecisionMap;
  /** The precision is only tried: its quantised weights lie where those of the next trial replace them. */
  readonly isTrial?: boolean;
}

/** The runtime as the rest of the program knows it: one active router, in a process of its own. */
export interface RouterClient extends Router {
  /** What is active, and whether it is idle, loading, ready, ... */
  state(): RouterState;
  /** The state now and at every change, until the signal aborts or the client closes. */
  watch(signal?: AbortSignal): AsyncIterable<RouterState>;
  /**
   * Makes a router active: `demo`, an id of `list`, or a path. Nothing is started: `load` or the first
   * request does. Requests still open on the router before it fail with `closed`. Rejects with
   * `router_not_found` or `router_invalid` and changes nothing then.
   */
  select(name: string, profile: ProfileId, options?: SelectOptions): Promise<RouterState>;
  /** Builds what is missing, starts the process and loads the active router. Rejects with the reason. */
  load(): Promise<RouterState>;
  /**
   * Tokens of each text by the active router's tokenizer, for estimates. Rejects with `too_long` above two
   * million characters, and as `load` does.
   */
  countTokens(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
  /** Routers on disk, broken ones with their problem. */
  list(): Promise<readonly RouterSummary[]>;
  /** Which profiles can be used; with `probe`, native providers are tried in processes of their own. */
  profiles(options?: {
    readonly probe?: boolean;
  }): Promise<readonly { readonly id: ProfileId; readonly availability: Availability }[]>;
  /** Ends the process. Open requests fail with `closed`. Twice is fine. */
  close(): Promise<void>;
}

/** A client with nothing selected yet: a request then fails with `router_not_found`. */
export function createRouterClient(options: RouterClientOptions): RouterClient {
  return new ActiveRouter(options);
}

const nothingSelected: RouterState = {
  router: null,
  profile: 'cpu-f32',
  isDemo: false,
  fallback: null,
  phase: { state: 'idle' },
};

class ActiveRouter implements RouterClient {
  readonly #options: RouterClientOptions;
  readonly #probes: ProfileProbes;
  readonly #feed = new StateFeed(nothingSelected);
  #selection: Selection | null = null;
  #closing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: RouterClientOptions) {
    this.#options = options;
    this.#probes = new ProfileProbes(options);
  }

  state(): RouterState {
    return this.#feed.current;
  }

  watch(signal?: AbortSignal): AsyncIterable<RouterState> {
    return this.#feed.watch(signal);
  }

  async select(
    name: string,
    profile: ProfileId,
    { baseFolders = [], precision, isTrial = false }: SelectOptions = {},
  ): Promise<RouterState> {
    const named = await resolveRouter(name, this.#options.routersDirectory);
    if (this.#isClosed) throw closedError();
    const previous = this.#selection;
    this.#closing = Promise.all([this.#closing, previous?.close()]).then(() => undefined);
    const selection = new Selection({
      ...this.#options,
      baseFolders: [...baseFolders, ...this.#options.baseFolders],
      named,
      profile,
      precision,
      isTrial,
      probes: this.#probes,
      // Two routers loaded at once may be more than the memory holds.
      mayStart: this.#closing,
      onState: (state) => {
        if (this.#selection === selection) this.#feed.set(state);
      },
    });
    this.#selection = selection;
    this.#feed.set(selection.state);
    return selection.state;
  }

  async load(): Promise<RouterState> {
    await this.#selected().load();
    return this.state();
  }

  async route(request: RouteRequest, options: RouteOptions = {}): Promise<RouteLogits> {
    if (options.signal?.aborted === true) throw cancelled();
    return this.#selected().route(request, options);
  }

  async countTokens(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]> {
    if (signal?.aborted === true) throw cancelled();
    return this.#selected().countTokens(texts, signal);
  }

  list(): Promise<readonly RouterSummary[]> {
    return listRouters(this.#options.routersDirectory);
  }

  profiles({ probe = false }: { readonly probe?: boolean } = {}) {
    return this.#probes.all(probe);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#closing, this.#selection?.close()]);
    this.#feed.close();
  }

  #selected(): Selection {
    if (this.#isClosed) throw closedError();
    if (this.#selection !== null) return this.#selection;
    throw new RuntimeError('router_not_found', 'No router has been chosen yet.');
  }
}

function closedError(): RuntimeError {
  return new RuntimeError('closed', 'The router was closed.', { retryable: true });
}
