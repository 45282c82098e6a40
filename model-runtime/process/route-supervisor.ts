import type { RouteLogits, RouteRequest } from '../../contracts/route.ts';
import type { RouteOptions, Router } from '../../contracts/router.ts';
import { cancelled, RuntimeError } from '../runtime-error.ts';
import { LoadedProcess, type LoadedProcessOptions, type ReadyProcess } from './loaded-process.ts';
import type { ProcessConnection } from './process-connection.ts';
import { countedSchema, routedSchema, type Loaded } from './protocol.ts';

export interface SupervisorOptions extends LoadedProcessOptions {
  /** The process is ended after this long without a request; null keeps it. */
  readonly idleMs: number | null;
}

/** A cancel that is not answered in this time is carried out by force. */
export const cancelMs = 3_000;
/** Silence between the chunks of a route that counts as a hang. */
export const routeSilenceMs = 60_000;

interface Job {
  /** Runs on a loaded process and settles; never rejects. */
  readonly perform: (ready: ReadyProcess) => Promise<void>;
  readonly fail: (error: RuntimeError) => void;
}

/**
 * Routes through one route process, in order, one request at a time. Each request gets exactly one answer
 * or one `RuntimeError`: the one that was running when the process died fails with `process_died`
 * (retryable), those waiting go to the next process. An aborted request fails with `cancelled` at once;
 * the process is given 3 s to notice, then ended. Loading is not counted.
 */
export class RouteSupervisor implements Router {
  readonly #options: SupervisorOptions;
  readonly #process: LoadedProcess;
  readonly #waiting: Job[] = [];
  #working: Promise<void> | null = null;
  #closed: RuntimeError | null = null;
  #stopIdleTimer = (): void => undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#process = new LoadedProcess({ ...options, onDeath: () => this.#restart() });
  }

  /** Starts the process and loads the router where that is not done yet. */
  load(): Promise<Loaded> {
    return this.#enqueue(undefined, ({ loaded }) => Promise.resolve(loaded));
  }

  route(request: RouteRequest, options: RouteOptions = {}): Promise<RouteLogits> {
    const since = this.#options.clock.monotonic();
    return this.#enqueue(options.signal, ({ connection }) =>
      this.#route(connection, request, options, since),
    );
  }

  /** Tokens of each text, in turn with the routes. */
  countTokens(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]> {
    return this.#enqueue(signal, async ({ connection }) => {
      const stopWatching = this.#cancelOnAbort(connection, signal);
      try {
        const message = { type: 'count_tokens', texts: [...texts] } as const;
        const answer = await connection.call((id) => ({ ...message, id }), {
          silenceMs: routeSilenceMs,
        });
        return countedSchema.parse(answer);
      } finally {
        stopWatching();
      }
    });
  }

  /** Ends the process. What waits or runs fails with `closed`. Twice is fine. */
  async close(): Promise<void> {
    this.#closed ??= new RuntimeError('closed', 'The router was closed.', { retryable: true });
    this.#stopIdleTimer();
    this.#failWaiting(this.#closed);
    await this.#process.close(this.#closed);
    await this.#working;
  }

  #restart(): void {
    // Whether it succeeds is told by the phase: nobody waits for this load.
    this.load().catch(() => undefined);
  }

  #enqueue<T>(
    signal: AbortSignal | undefined,
    perform: (ready: ReadyProcess) => Promise<T>,
  ): Promise<T> {
    if (this.#closed !== null) return Promise.reject(this.#closed);
    if (signal?.aborted === true) return Promise.reject(cancelled());
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        perform: (ready) => perform(ready).then(settle, (error) => job.fail(asRuntimeError(error))),
        fail: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      const settle = (value: T): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      };
      const onAbort = (): void => {
        const position = this.#waiting.indexOf(job);
        if (position >= 0) this.#waiting.splice(position, 1);
        job.fail(cancelled());
      };
      signal?.addEventListener('abort', onAbort);
      this.#waiting.push(job);
      this.#work();
    });
  }

  #work(): void {
    this.#stopIdleTimer();
    if (this.#working !== null || this.#closed !== null) return;
    if (this.#waiting.length === 0) return this.#startIdleTimer();
    this.#start(this.#drain());
  }

  #start(work: Promise<void>): void {
    this.#working = work.finally(() => {
      this.#working = null;
      this.#work();
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      let ready: ReadyProcess;
      try {
        ready = await this.#process.ensure();
      } catch (error) {
        return this.#failWaiting(asRuntimeError(error));
      }
      await this.#waiting.shift()?.perform(ready);
    }
  }

  async #route(
    connection: ProcessConnection,
    request: RouteRequest,
    { signal, onProgress }: RouteOptions,
    since: number,
  ): Promise<RouteLogits> {
    const { clock } = this.#options;
    const queueMs = clock.monotonic() - since;
    const stopWatching = this.#cancelOnAbort(connection, signal);
    try {
      const answer = await connection.call((id) => ({ type: 'route', id, request }), {
        silenceMs: routeSilenceMs,
        onProgress,
      });
      const { logits, rssBytes } = routedSchema.parse(answer);
      this.#process.worked({ rssBytes });
      const totalMs = clock.monotonic() - since;
      return { ...logits, timings: { ...logits.timings, queueMs, totalMs } };
    } finally {
      stopWatching();
    }
  }

  /** Passes an abort on to the process, and ends it when that is not answered. Returns the clean-up. */
  #cancelOnAbort(connection: ProcessConnection, signal: AbortSignal | undefined): () => void {
    let stopTimer = (): void => undefined;
    const onAbort = (): void => {
      connection.cancel();
      stopTimer = this.#options.clock.after(cancelMs, () => {
        const sentence = 'The router did not stop when asked to and was ended.';
        void connection.kill(new RuntimeError('process_hung', sentence, { retryable: true }));
      });
    };
    signal?.addEventListener('abort', onAbort);
    return () => {
      stopTimer();
      signal?.removeEventListener('abort', onAbort);
    };
  }

  #startIdleTimer(): void {
    const { idleMs, clock } = this.#options;
    if (idleMs === null || !this.#process.isRunning) return;
    this.#stopIdleTimer = clock.after(idleMs, () => this.#start(this.#process.release()));
  }

  #failWaiting(error: RuntimeError): void {
    for (const job of this.#waiting.splice(0)) job.fail(error);
  }
}

function asRuntimeError(error: unknown): RuntimeError {
  if (error instanceof RuntimeError) return error;
  const sentence = 'The router process answered with something that is not understood.';
  return new RuntimeError('protocol', sentence, { cause: error });
}
