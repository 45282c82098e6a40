import type { RunEvent } from '../../contracts/events.ts';
import type { Clock } from '../../contracts/ports.ts';
import type { RunStore } from './run-store.ts';

/** Where a stream takes a run's events from. One source serves any number of streams. */
export interface EventSource {
  /** The last event there is; -1 before the first. */
  readonly lastSeq: number;
  /** True when no event will follow `lastSeq`. */
  readonly hasEnded: boolean;
  /** Events from `fromSeq` on, at least one if there is one, at most `limit`. */
  read(fromSeq: number, limit: number): readonly RunEvent[];
  /** Resolves when there may be more, or the end, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
}

/** How often a run of another program is looked at. */
const pollMs = 250;

/** A run whose events come from the database alone: it has ended, or another program drives it. */
export class StoredRun implements EventSource {
  readonly #runs: RunStore;
  readonly #runId: string;
  readonly #clock: Clock;
  #position: { lastSeq: number; hasEnded: boolean };

  /** @throws ConversationError `not_found` */
  constructor(runs: RunStore, runId: string, clock: Clock) {
    this.#runs = runs;
    this.#runId = runId;
    this.#clock = clock;
    this.#position = runs.position(runId);
  }

  get lastSeq(): number {
    return this.#position.lastSeq;
  }

  get hasEnded(): boolean {
    return this.#position.hasEnded;
  }

  read(fromSeq: number, limit: number): readonly RunEvent[] {
    return this.#runs.events(this.#runId, fromSeq, limit);
  }

  async changed(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#clock.after(pollMs, done);
      if (signal.aborted) done();
      else signal.addEventListener('abort', done);
    });
    if (!signal.aborted) this.#position = this.#runs.position(this.#runId);
  }
}
