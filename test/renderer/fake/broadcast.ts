/** Sends values to whoever follows at that moment. */
export class Broadcast<T> {
  readonly #listeners = new Set<(value: T) => void>();

  send(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }

  /** Every value from the call on, until the signal aborts. */
  follow(signal?: AbortSignal): AsyncGenerator<T> {
    const waiting: T[] = [];
    let wake = () => {};
    const listener = (value: T) => {
      waiting.push(value);
      wake();
    };
    this.#listeners.add(listener);
    signal?.addEventListener('abort', () => wake(), { once: true });
    const listeners = this.#listeners;
    return (async function* () {
      try {
        while (signal?.aborted !== true) {
          const value = waiting.shift();
          if (value !== undefined) yield value;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        listeners.delete(listener);
      }
    })();
  }
}
