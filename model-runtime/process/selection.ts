import type { RouterState } from '../../contracts/app/models.ts';
import { toFailure } from '../../contracts/failure.ts';
import type { RouterSummary } from '../../contracts/manifest.ts';
import type { PrecisionMap, ProfileId } from '../../contracts/profiles.ts';
import type { RouteLogits, RouteRequest } from '../../contracts/route.ts';
import type { RouteOptions } from '../../contracts/router.ts';
import type { NamedRouter } from '../artifact/naming.ts';
import { demoName } from '../artifact/naming.ts';
import { summarise } from '../artifact/router-directory.ts';
import { hasDemoRouter } from '../demo/demo-revision.ts';
import { cancelled, RuntimeError, toRuntimeError } from '../runtime-error.ts';
import { isQuantised, needsProbe, profiles } from '../session/profiles.ts';
import { askApart } from './apart.ts';
import type { ProcessPhase } from './loaded-process.ts';
import type { ProfileProbes } from './profile-probes.ts';
import type { LoadSpec } from './protocol.ts';
import { RouteSupervisor } from './route-supervisor.ts';
import type { RouterClientOptions } from './client-options.ts';

export interface SelectionOptions extends RouterClientOptions {
  readonly named: NamedRouter;
  readonly profile: ProfileId;
  /** In place of the calibrated one and the profile's own. */
  readonly precision?: PrecisionMap | undefined;
  readonly isTrial?: boolean;
  readonly probes: ProfileProbes;
  /** Resolves when no other router's process is alive. */
  readonly mayStart: Promise<void>;
  readonly onState: (state: RouterState) => void;
}

/** A router that nobody asks gives back its 2 GB; the next request waits some seconds for it. */
const defaultIdleMs = 15 * 60_000;
/** Building a demo and quantising report their steps; each takes seconds. */
const buildSilenceMs = 600_000;
/** Failures of a native provider at work, after which the CPU takes over. */
const providerFailures: ReadonlySet<string> = new Set([
  'load_failed',
  'run_failed',
  'process_died',
  'process_hung',
]);

/** One router with one profile, chosen and in use until another is: prepared, loaded and asked. */
export class Selection {
  readonly #options: SelectionOptions;
  readonly #ended = new AbortController();
  #state: RouterState;
  #supervisor: RouteSupervisor | null = null;
  #preparing: Promise<RouteSupervisor> | null = null;

  constructor(options: SelectionOptions) {
    this.#options = options;
    this.#state = {
      router: options.named.summary ?? plainSummary(options.named),
      profile: options.profile,
      isDemo: options.named.kind === 'demo' || options.named.summary?.kind === 'demo',
      fallback: null,
      phase: { state: 'idle' },
    };
  }

  get state(): RouterState {
    return this.#state;
  }

  async load(): Promise<void> {
    await this.#onCpuIfNeeded((supervisor) => supervisor.load());
  }

  route(request: RouteRequest, options: RouteOptions): Promise<RouteLogits> {
    const routed = this.#onCpuIfNeeded((supervisor) => supervisor.route(request, options));
    return options.signal === undefined ? routed : orCancelled(routed, options.signal);
  }

  countTokens(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]> {
    const counted = this.#onCpuIfNeeded((supervisor) => supervisor.countTokens(texts, signal));
    return signal === undefined ? counted : orCancelled(counted, signal);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    // What it was preparing ends with the signal; its failure is told to those who wait for it.
    await this.#preparing?.catch(() => undefined);
    await this.#supervisor?.close();
  }

  /** Does the work; where a native provider fails at it, once more on the CPU. */
  async #onCpuIfNeeded<T>(work: (supervisor: RouteSupervisor) => Promise<T>): Promise<T> {
    const supervisor = await this.#prepared();
    try {
      return await work(supervisor);
    } catch (error) {
      if (this.#ended.signal.aborted || !(error instanceof RuntimeError)) throw error;
      // Another request may have had the supervisor replaced, which closed this one.
      if (this.#supervisor === supervisor) {
        const isNative = needsProbe(profiles[this.#state.profile]);
        if (!isNative || !providerFailures.has(error.code)) throw error;
        await this.#fallBack(supervisor, error.message);
      } else if (error.code !== 'closed') throw error;
      return work(await this.#prepared());
    }
  }

  async #fallBack(failed: RouteSupervisor, reason: string): Promise<void> {
    this.#supervisor = null;
    this.#preparing = null;
    this.#useCpu(reason);
    await failed.close();
  }

  #useCpu(reason: string): void {
    const from = this.#options.profile;
    this.#options.probes.ruleOut(from, reason);
    this.#set({ profile: 'cpu-f32', fallback: { from, reason } });
  }

  /** The supervisor, once everything that it loads is there. A failure is forgotten: the next call tries again. */
  #prepared(): Promise<RouteSupervisor> {
    this.#preparing ??= this.#prepare().catch((error: unknown) => {
      this.#preparing = null;
      const failure = toRuntimeError(error, 'internal', 'The router could not be prepared.');
      this.#set({ phase: { state: 'failed', failure: toFailure(failure) } });
      throw failure;
    });
    return this.#preparing;
  }

  async #prepare(): Promise<RouteSupervisor> {
    await this.#options.mayStart;
    await this.#checkProfile();
    if (this.#options.named.kind === 'demo') await this.#buildDemo();
    const spec = this.#spec(await this.#precision());
    if (isQuantised(spec.precision ?? profiles[spec.profile].precision)) {
      await this.#apart((id) => ({ type: 'prepare', id, spec }));
    }
    if (this.#ended.signal.aborted) throw closed();
    this.#supervisor = new RouteSupervisor({
      launcher: this.#options.launcher,
      clock: this.#options.clock,
      onLog: this.#options.onLog,
      idleMs: this.#options.idleMs === undefined ? defaultIdleMs : this.#options.idleMs,
      spec,
      onPhase: (phase) => this.#set({ phase: phaseOf(phase) }),
    });
    return this.#supervisor;
  }

  async #checkProfile(): Promise<void> {
    if (!needsProbe(profiles[this.#state.profile])) return;
    const availability = await this.#options.probes.probe(this.#state.profile);
    if (availability.state === 'unavailable') this.#useCpu(availability.reason);
  }

  async #buildDemo(): Promise<void> {
    const { directory } = this.#options.named;
    if (!(await hasDemoRouter(directory))) {
      await this.#apart((id) => ({ type: 'build_demo', id, directory }));
    }
    this.#set({ router: await summarise(directory, demoName) });
  }

  async #apart(message: (id: number) => unknown): Promise<void> {
    const { launcher, clock, onLog } = this.#options;
    this.#set({ phase: { state: 'building', fraction: 0 } });
    await askApart(message, {
      launcher,
      clock,
      onLog,
      silenceMs: buildSilenceMs,
      signal: this.#ended.signal,
      onProgress: (done, total) =>
        this.#set({ phase: { state: 'building', fraction: total === 0 ? 0 : done / total } }),
    });
  }

  /** Undefined: the profile's own. A precision is one profile's: what replaces a failed provider runs its own. */
  async #precision(): Promise<PrecisionMap | undefined> {
    const { precision, calibratedPrecision } = this.#options;
    const { profile, router } = this.#state;
    if (profile !== this.#options.profile) return undefined;
    // Base and head without a manifest have no identity before they are loaded.
    const adapterRef = router?.adapterRef ?? null;
    if (precision !== undefined || adapterRef === null) return precision;
    if (!isQuantised(profiles[profile].precision)) return undefined;
    return (await calibratedPrecision?.({ adapterRef, profile })) ?? undefined;
  }

  #spec(precision: PrecisionMap | undefined): LoadSpec {
    const { named, baseFolders, cacheDirectory, isTrial, threads, prefixCacheBytes } =
      this.#options;
    const { profile } = this.#state;
    return {
      directory: named.directory,
      baseFolders: [...baseFolders],
      cacheDirectory,
      profile,
      ...(precision !== undefined && { precision }),
      ...(isTrial === true && { isTrial }),
      ...(threads !== undefined && { threads }),
      ...(prefixCacheBytes !== undefined && { prefixCacheBytes }),
    };
  }

  #set(change: Partial<RouterState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onState(this.#state);
  }
}

function phaseOf(phase: ProcessPhase): RouterState['phase'] {
  return phase.state === 'failed' ? { state: 'failed', failure: toFailure(phase.error) } : phase;
}

/** Settles as `work` does, or fails with `cancelled` as soon as the signal aborts. */
function orCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cancelled());
    signal.addEventListener('abort', onAbort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** What is known of a router that has no manifest of its own. */
function plainSummary({ directory, kind }: NamedRouter): RouterSummary | null {
  if (kind !== 'base+head') return null;
  return {
    id: directory,
    directory,
    kind: 'base+head',
    status: 'complete',
    adapterRef: null,
    agentCount: 0,
    agentLabels: [],
    bytes: 0,
    problem: null,
  };
}

function closed(): RuntimeError {
  return new RuntimeError('closed', 'The router was closed.', { retryable: true });
}
