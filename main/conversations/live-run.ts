import { endsRun, type RunEvent } from '../../contracts/events.ts';
import { foldRun, nextSeq } from '../../contracts/fold-run.ts';
import type { Clock } from '../../contracts/ports.ts';
import type { RunRecord } from '../../contracts/stored.ts';
import { ConversationError } from './errors.ts';
import type { EventSource } from './event-source.ts';
import type { RunStore } from './run-store.ts';
import { Waiters } from './waiters.ts';

/** Deltas of this long are kept in one transaction. */
const flushEveryMs = 100;
/** Stored events that stay in memory for the streams that follow closely. */
const tailEvents = 1024;

/**
 * A run that this program drives: its events in order, kept in the database as they stream, and shared
 * by every stream attached to it. Memory holds the newest events only; a stream that lags behind reads
 * the older ones from the database.
 */
export class LiveRun implements EventSource {
  readonly #runs: RunStore;
  readonly #clock: Clock;
  readonly #waiters = new Waiters();
  #record: RunRecord;
  /** The newest events; the first of them has the seq `#tailStart`. */
  #tail: RunEvent[] = [];
  #tailStart: number;
  /** The last event in the database. */
  #storedSeq: number;
  #cancelFlush: (() => void) | null = null;

  constructor(record: RunRecord, runs: RunStore, clock: Clock) {
    this.#record = record;
    this.#runs = runs;
    this.#clock = clock;
    this.#tailStart = nextSeq(record);
    this.#storedSeq = record.lastSeq;
  }

  get record(): RunRecord {
    return this.#record;
  }

  get lastSeq(): number {
    return this.#record.lastSeq;
  }

  get hasEnded(): boolean {
    return this.#record.status !== 'running';
  }

  /** True when everything that happened is in the database. */
  get isStored(): boolean {
    return this.#storedSeq === this.lastSeq;
  }

  /**
   * Takes the run's next event. Deltas are stored within 100 ms, everything else at once.
   *
   * @throws ConversationError when what has happened cannot be stored and the next thing would be a
   *   dispatch. The event is in the run and in its streams all the same.
   */
  append(event: RunEvent): void {
    if (event.seq !== nextSeq(this.#record)) {
      throw new RangeError(`event ${event.seq} of run ${this.#record.id} is not the next one`);
    }
    this.#record = foldRun(this.#record, event);
    this.#tail.push(event);
    this.#waiters.wake();
    if (event.type === 'delta') {
      this.#cancelFlush ??= this.#clock.after(flushEveryMs, () => this.#flushLater());
      return;
    }
    try {
      this.flush();
    } catch (error) {
      if (precedesDispatch(event) || !(error instanceof ConversationError)) throw error;
      // The answer goes on being shown; the next event that leads to a dispatch says what is wrong.
    }
  }

  /** Stores what is not stored. @throws ConversationError `storage_unwritable` */
  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    this.#runs.append(this.#record, this.#tail.slice(this.#storedSeq + 1 - this.#tailStart));
    this.#storedSeq = this.lastSeq;
    // Twice the tail before it is cut, so that cutting costs little.
    if (this.#tail.length > 2 * tailEvents) {
      this.#tail = this.#tail.slice(-tailEvents);
      this.#tailStart = this.lastSeq + 1 - this.#tail.length;
    }
  }

  read(fromSeq: number, limit: number): readonly RunEvent[] {
    if (fromSeq < this.#tailStart) return this.#runs.events(this.#record.id, fromSeq, limit);
    const start = fromSeq - this.#tailStart;
    return this.#tail.slice(start, start + limit);
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(signal);
  }

  #flushLater(): void {
    this.#cancelFlush = null;
    try {
      this.flush();
    } catch (error) {
      // Nothing is lost while the turn is in memory; the turn's end tries again and says so.
      if (!(error instanceof ConversationError)) throw error;
    }
  }
}

/** After these comes a provider call, unless the run is told not to go on. */
function precedesDispatch(event: RunEvent): boolean {
  return event.type !== 'dispatch_finished' && event.type !== 'turn_completed' && !endsRun(event);
}
