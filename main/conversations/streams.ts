import { streamWindow, type Attached } from '../../contracts/app/chat.ts';
import type { RandomSource } from '../../contracts/ports.ts';
import { ending } from './ending.ts';
import type { EventSource } from './event-source.ts';
import { Waiters } from './waiters.ts';

/** Most events of one message to a window. */
const batchLimit = 128;

interface Stream {
  acknowledged: number;
  readonly credit: Waiters;
}

/**
 * Streams of windows that watch runs. A stream sends at most `streamWindow` events beyond the last one
 * its window has acknowledged; it holds a position, never events, so that a window that stops reading
 * costs nothing and slows nobody.
 */
export class Streams {
  readonly #random: RandomSource;
  readonly #open = new Map<string, Stream>();
  readonly #closing = new AbortController();

  constructor(random: RandomSource) {
    this.#random = random;
  }

  /** Streams that are open. */
  get size(): number {
    return this.#open.size;
  }

  /** Events of a run from `fromSeq` on; ends with the run, with its signal, or when its consumer leaves. */
  attach(
    source: EventSource,
    fromSeq: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Attached, void> {
    return ending(signal, (ended) =>
      this.#follow(source, fromSeq, AbortSignal.any([ended, this.#closing.signal])),
    );
  }

  /** Takes note that a window has everything up to `seq`. A stream that has ended is passed over. */
  acknowledge(streamId: string, seq: number): void {
    const stream = this.#open.get(streamId);
    if (stream === undefined || seq <= stream.acknowledged) return;
    stream.acknowledged = seq;
    stream.credit.wake();
  }

  /** Ends every stream. */
  close(): void {
    this.#closing.abort();
  }

  async *#follow(
    source: EventSource,
    fromSeq: number,
    signal: AbortSignal,
  ): AsyncGenerator<Attached, void, undefined> {
    const streamId = this.#random.id();
    const stream: Stream = { acknowledged: fromSeq - 1, credit: new Waiters() };
    this.#open.set(streamId, stream);
    try {
      yield { kind: 'opened', streamId, state: source.hasEnded ? 'settled' : 'live' };
      for (let next = fromSeq; !signal.aborted;) {
        const room = stream.acknowledged + streamWindow - (next - 1);
        if (next > source.lastSeq) {
          if (source.hasEnded) return;
          await source.changed(signal);
        } else if (room <= 0) {
          await stream.credit.wait(signal);
        } else {
          const events = [...source.read(next, Math.min(room, batchLimit))];
          next += events.length;
          yield { kind: 'events', events };
        }
      }
    } finally {
      this.#open.delete(streamId);
    }
  }
}
