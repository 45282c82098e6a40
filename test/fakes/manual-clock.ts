import type { Clock } from '../../contracts/ports.ts';

/** A clock that moves only when told. Timers fire in order of their time while it moves. */
export class ManualClock implements Clock {
  #now = 1_000_000;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];

  get pendingTimers(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== due);
      this.#now = due.at;
      due.callback();
    }
    this.#now = end;
  }
}
