import { createParser, type ParseError } from 'eventsource-parser';
import { ProviderError } from '../failure.ts';

/** One server-sent event: its name, if it had one, and its data. */
export interface ServerSentEvent {
  readonly name: string | null;
  readonly data: string;
}

export interface EventCutter {
  push(piece: string): ServerSentEvent[];
  /** What is left when the text ends, also an event without its closing blank line. */
  end(): ServerSentEvent[];
  /** Lines so far that were no part of the format. */
  readonly brokenLines: number;
}

/** Characters that one event may have: far above any real one, far below what hurts. */
const eventCharacters = 16_000_000;

/**
 * Cuts a text that arrives in pieces into server-sent events.
 *
 * @throws ProviderError `answer_too_long` when one event exceeds 16 million characters
 */
export function createEventCutter(): EventCutter {
  let events: ServerSentEvent[] = [];
  let failure: ParseError | null = null;
  let brokenLines = 0;
  const parser = createParser({
    maxBufferSize: eventCharacters,
    onEvent: ({ event, data }) => events.push({ name: event ?? null, data }),
    onError: (error) => {
      // A line that is no field is passed over, as the standard says, and counted.
      if (error.type === 'max-buffer-size-exceeded') failure = error;
      else brokenLines += 1;
    },
  });
  const take = (): ServerSentEvent[] => {
    if (failure !== null) {
      throw new ProviderError('answer_too_long', 'One piece of the answer was too long to read.', {
        cause: failure,
      });
    }
    const taken = events;
    events = [];
    return taken;
  };
  return {
    push: (piece) => {
      parser.feed(piece);
      return take();
    },
    end: () => {
      parser.feed('\n\n');
      return take();
    },
    get brokenLines() {
      return brokenLines;
    },
  };
}
