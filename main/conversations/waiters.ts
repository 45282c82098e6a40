/** Those who wait for something to change; `wake` lets all of them look again. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** Resolves at the next `wake`, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#waiting.add(done);
      signal.addEventListener('abort', done);
    });
  }

  wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}
