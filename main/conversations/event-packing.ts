import { runEventSchema, type RunEvent, type RunEventOf } from '../../contracts/events.ts';
import { ConversationError } from './errors.ts';

type Delta = RunEventOf<'delta'>;

/** Deltas that follow one another, as one entry: the lengths cut `text` back into its events. */
interface PackedDeltas {
  readonly type: 'deltas';
  readonly seq: number;
  readonly turn: number;
  readonly channel: Delta['channel'];
  readonly at: readonly number[];
  readonly lengths: readonly number[];
  readonly text: string;
}

/**
 * Events of one run as compact text: an entry per event, except that deltas of one turn and channel
 * that follow one another share an entry. `unpackEvents` gives back equal events.
 */
export function packEvents(events: readonly RunEvent[]): string {
  const entries: (RunEvent | PackedDeltas)[] = [];
  for (let index = 0; index < events.length;) {
    const event = events[index];
    if (event === undefined) break;
    if (event.type !== 'delta') {
      entries.push(event);
      index += 1;
      continue;
    }
    const group = deltasFrom(events, index, event);
    entries.push(packDeltas(event, group));
    index += group.length;
  }
  return JSON.stringify(entries);
}

/**
 * The events of a packed text of run `runId`.
 *
 * @throws ConversationError `storage_corrupt` on text that `packEvents` did not write
 */
export function unpackEvents(runId: string, body: string): RunEvent[] {
  try {
    const entries: unknown = JSON.parse(body);
    if (!Array.isArray(entries)) throw new TypeError('not a list');
    return entries.flatMap((entry) =>
      isPacked(entry) ? unpackDeltas(runId, entry) : [runEventSchema.parse(entry)],
    );
  } catch (error) {
    throw new ConversationError(
      'storage_corrupt',
      `The stored events of run ${runId} are damaged.`,
      {
        cause: error,
      },
    );
  }
}

function deltasFrom(events: readonly RunEvent[], start: number, first: Delta): Delta[] {
  const group: Delta[] = [];
  for (let index = start; index < events.length; index += 1) {
    const event = events[index];
    if (event?.type !== 'delta') break;
    if (event.turn !== first.turn || event.channel !== first.channel) break;
    if (event.seq !== first.seq + group.length) break;
    group.push(event);
  }
  return group;
}

function packDeltas(first: Delta, group: readonly Delta[]): PackedDeltas {
  return {
    type: 'deltas',
    seq: first.seq,
    turn: first.turn,
    channel: first.channel,
    at: group.map((delta) => delta.at),
    lengths: group.map((delta) => delta.text.length),
    text: group.map((delta) => delta.text).join(''),
  };
}

function unpackDeltas(runId: string, packed: PackedDeltas): RunEvent[] {
  let start = 0;
  const { channel, turn } = packed;
  return packed.lengths.map((length, index) => {
    const text = packed.text.slice(start, start + length);
    start += length;
    const at = packed.at[index] ?? 0;
    return { v: 1, seq: packed.seq + index, runId, turn, at, type: 'delta', channel, text };
  });
}

function isPacked(entry: unknown): entry is PackedDeltas {
  return typeof entry === 'object' && entry !== null && 'type' in entry && entry.type === 'deltas';
}
