import type { Change } from '../../contracts/app/chat.ts';
import { ending } from './ending.ts';
import { Waiters } from './waiters.ts';

interface Subscriber {
  /** Changes not yet taken, by what they are about: one that repeats itself waits once. */
  pending: Map<string, Change>;
  readonly waiters: Waiters;
}

/** Tells every window what changed in the list of conversations. */
export class Changes {
  readonly #subscribers = new Set<Subscriber>();
  readonly #closing = new AbortController();

  /** Windows that listen. */
  get size(): number {
    return this.#subscribers.size;
  }

  publish(change: Change): void {
    const key = `${change.kind} ${change.id} ${'runId' in change ? change.runId : ''}`;
    for (const subscriber of this.#subscribers) {
      // Deleted first, so that it takes its place at the end.
      subscriber.pending.delete(key);
      subscriber.pending.set(key, change);
      subscriber.waiters.wake();
    }
  }

  /** Changes from now on, even if the first one is taken later. Ends with its signal only. */
  subscribe(signal?: AbortSignal): AsyncGenerator<Change, void, undefined> {
    const subscriber: Subscriber = { pending: new Map(), waiters: new Waiters() };
    this.#subscribers.add(subscriber);
    return ending(signal, (ended) => {
      // A generator that is left before its first value never reaches its own `finally`.
      ended.addEventListener('abort', () => this.#subscribers.delete(subscriber));
      return this.#deliver(subscriber, AbortSignal.any([ended, this.#closing.signal]));
    });
  }

  close(): void {
    this.#closing.abort();
  }

  async *#deliver(
    subscriber: Subscriber,
    signal: AbortSignal,
  ): AsyncGenerator<Change, void, undefined> {
    try {
      while (!signal.aborted) {
        const changes = [...subscriber.pending.values()];
        subscriber.pending = new Map();
        yield* changes;
        if (subscriber.pending.size === 0) await subscriber.waiters.wait(signal);
      }
    } finally {
      this.#subscribers.delete(subscriber);
    }
  }
}
