import type { Clock } from '../contracts/ports.ts';

/** What ends a run from outside its turns. */
export type Interruption = 'stopped' | 'wall_time' | 'latency';

/**
 * The person's stop and the deadlines of one run, as one signal. The first cause stands; later ones
 * change nothing. Nothing that is raced against it is waited for: it winds down by itself.
 */
export class Interrupts {
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #controller = new AbortController();
  readonly #cancels = new Set<() => void>();
  readonly #onStop = () => this.#fire('stopped');
  #cause: Interruption | null = null;

  constructor(stop: AbortSignal, clock: Clock) {
    this.#stop = stop;
    this.#clock = clock;
    if (stop.aborted) this.#fire('stopped');
    else stop.addEventListener('abort', this.#onStop, { once: true });
  }

  /** Aborts with the first interruption, and when the run is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get cause(): Interruption | null {
    return this.#cause;
  }

  /** Interrupts after `ms`, unless the returned function is called first. An absent limit does nothing. */
  deadline(ms: number | undefined, cause: 'wall_time' | 'latency'): () => void {
    if (ms === undefined) return () => {};
    const cancelTimer = this.#clock.after(ms, () => this.#fire(cause));
    const cancel = () => {
      cancelTimer();
      this.#cancels.delete(cancel);
    };
    this.#cancels.add(cancel);
    return cancel;
  }

  /**
   * The promise's value, or `interrupted` as soon as there is a cause. A rejection that comes after
   * that is nobody's and is dropped here.
   */
  race<T>(
    promise: Promise<T>,
  ): Promise<{ readonly interrupted: false; readonly value: T } | { readonly interrupted: true }> {
    return new Promise((resolve, reject) => {
      const onAbort = () => resolve({ interrupted: true });
      if (this.signal.aborted) onAbort();
      else this.signal.addEventListener('abort', onAbort, { once: true });
      promise.then(
        (value) => {
          this.signal.removeEventListener('abort', onAbort);
          resolve({ interrupted: false, value });
        },
        (error: unknown) => {
          this.signal.removeEventListener('abort', onAbort);
          reject(error as Error);
        },
      );
    });
  }

  /** Cancels the deadlines and aborts what is still in flight. */
  close(): void {
    this.#stop.removeEventListener('abort', this.#onStop);
    for (const cancel of this.#cancels) cancel();
    this.#controller.abort();
  }

  #fire(cause: Interruption): void {
    if (this.#cause !== null || this.signal.aborted) return;
    this.#cause = cause;
    this.#controller.abort();
  }
}
