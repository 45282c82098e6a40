import type { RouterState } from '../../contracts/app/models.ts';

/** The latest state, and watchers who are told of every change; a slow one is told the latest only. */
export class StateFeed {
  #current: RouterState;
  #version = 0;
  #isClosed = false;
  readonly #sleepers = new Set<() => void>();

  constructor(initial: RouterState) {
    this.#current = initial;
  }

  get current(): RouterState {
    return this.#current;
  }

  set(state: RouterState): void {
    this.#current = state;
    this.#version += 1;
    this.#wakeAll();
  }

  /** The state now and after every change, until the signal aborts or the feed closes. */
  async *watch(signal?: AbortSignal): AsyncGenerator<RouterState> {
    let seen = -1;
    while (signal?.aborted !== true) {
      if (seen !== this.#version) {
        seen = this.#version;
        yield this.#current;
      } else if (this.#isClosed) {
        return;
      } else {
        await this.#change(signal);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  #wakeAll(): void {
    for (const wake of [...this.#sleepers]) wake();
  }
}
