import type { Clock, ProcessLauncher } from '../../contracts/ports.ts';
import { RuntimeError, type RuntimeErrorCode } from '../runtime-error.ts';
import { ProcessConnection } from './process-connection.ts';
import { loadedSchema, type Loaded, type LoadSpec } from './protocol.ts';

export type ProcessPhase =
  | { readonly state: 'idle' }
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly loadMs: number; readonly rssBytes: number }
  | { readonly state: 'restarting'; readonly attempt: number }
  | { readonly state: 'failed'; readonly error: RuntimeError };

export interface LoadedProcessOptions {
  readonly launcher: ProcessLauncher;
  readonly clock: Clock;
  readonly spec: LoadSpec;
  readonly onPhase: (phase: ProcessPhase) => void;
  /** A loaded process died and may be started again. */
  readonly onDeath?: () => void;
  readonly onLog?: ((line: string) => void) | undefined;
}

/** A process that is ready to route. */
export interface ReadyProcess {
  readonly connection: ProcessConnection;
  readonly loaded: Loaded;
}

/** Loading a session blocks the process: it is silent meanwhile. */
const loadSilenceMs = 600_000;
/** Deaths in a row after which a request is told instead of trying again. */
const deathsAllowed = 3;
/** Codes of calls whose process died, by itself or because it was ended. */
const deaths: ReadonlySet<RuntimeErrorCode> = new Set(['process_died', 'process_hung', 'protocol']);
const firstBackOffMs = 250;
const longestBackOffMs = 5_000;

/**
 * Keeps one route process with one router loaded: started when first needed, started again with a growing
 * pause after it died. At most one process is alive at a time.
 */
export class LoadedProcess {
  readonly #options: LoadedProcessOptions;
  #connection: ProcessConnection | null = null;
  #loaded: Loaded | null = null;
  #deathsInARow = 0;
  #closed: RuntimeError | null = null;
  #endBackOff = (): void => undefined;

  constructor(options: LoadedProcessOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#connection !== null;
  }

  /**
   * The process, started and loaded if it is not. A process that dies on the way is started again, three
   * times in all. Not to be called twice at the same time.
   */
  async ensure(): Promise<ReadyProcess> {
    for (;;) {
      if (this.#closed !== null) throw this.#closed;
      if (this.#connection !== null && this.#loaded !== null && this.#connection.isAlive) {
        return { connection: this.#connection, loaded: this.#loaded };
      }
      await this.#connection?.goneIfDead();
      await this.#backOff();
      try {
        return await this.#startAndLoad();
      } catch (error) {
        const isDead = error instanceof RuntimeError && deaths.has(error.code);
        await this.#connection?.goneIfDead();
        if (isDead && this.#closed === null && this.#deathsInARow < deathsAllowed) continue;
        throw this.#failed(error, isDead);
      }
    }
  }

  /** Says that the process has done its work: earlier deaths no longer count. */
  worked({ rssBytes }: { readonly rssBytes: number }): void {
    this.#deathsInARow = 0;
    const loadMs = this.#loaded?.loadMs ?? 0;
    this.#options.onPhase({ state: 'ready', loadMs, rssBytes });
  }

  /** Ends the process and gives its memory back; the next `ensure` starts another. */
  async release(): Promise<void> {
    await this.#end(new RuntimeError('closed', 'The router was released.', { retryable: true }));
    if (this.#closed === null) this.#options.onPhase({ state: 'idle' });
  }

  /** Ends the process for good; whatever is open fails with `reason`. */
  async close(reason: RuntimeError): Promise<void> {
    this.#closed ??= reason;
    this.#endBackOff();
    await this.#end(this.#closed);
  }

  async #startAndLoad(): Promise<ReadyProcess> {
    if (this.#closed !== null) throw this.#closed;
    const { onPhase, spec } = this.#options;
    onPhase({ state: 'loading' });
    const connection = this.#connection ?? (await this.#start());
    const answer = await connection.call((id) => ({ type: 'load', id, spec }), {
      silenceMs: loadSilenceMs,
    });
    const loaded = loadedSchema.parse(answer);
    this.#loaded = loaded;
    onPhase({ state: 'ready', loadMs: loaded.loadMs, rssBytes: loaded.rssBytes });
    return { connection, loaded };
  }

  async #start(): Promise<ProcessConnection> {
    const { launcher, clock, onLog } = this.#options;
    const connection = new ProcessConnection({ launcher, clock, onLog, entry: 'route' });
    this.#connection = connection;
    void connection.gone.then((death) => {
      if (this.#connection === connection) this.#mourn(death);
    });
    await connection.ready();
    return connection;
  }

  #mourn(death: RuntimeError): void {
    const { onPhase, onDeath } = this.#options;
    const wasLoaded = this.#loaded !== null;
    this.#connection = null;
    this.#loaded = null;
    this.#deathsInARow += 1;
    if (this.#closed !== null) return;
    if (this.#deathsInARow >= deathsAllowed) return onPhase({ state: 'failed', error: death });
    onPhase({ state: 'restarting', attempt: this.#deathsInARow });
    if (wasLoaded) onDeath?.();
  }

  #failed(error: unknown, isDead: boolean): RuntimeError {
    if (this.#closed !== null) return this.#closed;
    const failure = explained(error, isDead);
    this.#options.onPhase({ state: 'failed', error: failure });
    return failure;
  }

  #backOff(): Promise<void> {
    if (this.#deathsInARow === 0 || this.#closed !== null) return Promise.resolve();
    const ms = Math.min(firstBackOffMs * 2 ** (this.#deathsInARow - 1), longestBackOffMs);
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(ms, resolve);
      this.#endBackOff = () => {
        stop();
        resolve();
      };
    });
  }

  async #end(reason: RuntimeError): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    this.#loaded = null;
    await connection?.kill(reason);
  }
}

/** A death while loading is most often memory; the message says what can be done about it. */
function explained(error: unknown, isDead: boolean): RuntimeError {
  if (!(error instanceof RuntimeError)) {
    const sentence = 'The router process answered with something that is not understood.';
    return new RuntimeError('protocol', sentence, { cause: error });
  }
  if (!isDead || error.code !== 'process_died') return error;
  const advice =
    'The profile cpu-8bit needs a third of the memory, and the browser host (npm start -- --browser) loads what the desktop app cannot.';
  return new RuntimeError('load_failed', `${error.message} It was loading the router. ${advice}`, {
    retryable: true,
    cause: error,
  });
}
