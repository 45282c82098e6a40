import type { Clock } from '../../../contracts/ports.ts';
import type { SlotTimeouts } from '../../../contracts/slots.ts';

export type DeadlineCause = 'first_token' | 'idle' | 'total' | 'settled';

/**
 * The deadlines of one attempt, and the signal that ends it: aborted by the caller's signal or by the
 * first deadline that passes. Until the first token only `firstToken` and `total` run; from then on
 * `idle` starts anew with every byte.
 */
export class Deadlines {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #timeouts: SlotTimeouts;
  readonly #outer: AbortSignal;
  readonly #stop = (): void => this.#controller.abort();
  readonly #cancelTotal: () => void;
  #cancelCurrent: () => void;
  #phase: 'waiting' | 'streaming' | 'settling' = 'waiting';
  #cause: DeadlineCause | null = null;

  constructor(clock: Clock, timeouts: SlotTimeouts, outer: AbortSignal) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#outer = outer;
    this.#cancelTotal = clock.after(timeouts.totalMs, () => this.#expire('total'));
    this.#cancelCurrent = clock.after(timeouts.firstTokenMs, () => this.#expire('first_token'));
    if (outer.aborted) this.#stop();
    else outer.addEventListener('abort', this.#stop, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The deadline that ended the attempt; null when none did. */
  get cause(): DeadlineCause | null {
    return this.#cause;
  }

  /** The first piece of the answer is here. */
  tokenArrived(): void {
    if (this.#phase !== 'waiting') return;
    this.#phase = 'streaming';
    this.#rearm(this.#timeouts.idleMs, 'idle');
  }

  bytesArrived(): void {
    if (this.#phase === 'streaming') this.#rearm(this.#timeouts.idleMs, 'idle');
  }

  /** The answer is complete; its usage or end mark may still come within `ms`. */
  settle(ms: number): void {
    this.#phase = 'settling';
    this.#rearm(ms, 'settled');
  }

  /** Ends timers and listeners, and aborts what is still open. May be called twice. */
  close(): void {
    this.#cancelTotal();
    this.#cancelCurrent();
    this.#outer.removeEventListener('abort', this.#stop);
    this.#controller.abort();
  }

  #rearm(ms: number, cause: DeadlineCause): void {
    this.#cancelCurrent();
    this.#cancelCurrent = this.#clock.after(ms, () => this.#expire(cause));
  }

  #expire(cause: DeadlineCause): void {
    this.#cause ??= cause;
    this.#controller.abort();
  }
}
