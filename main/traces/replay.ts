import { runEventSchema, type RunEvent } from '../../contracts/events.ts';
import type { Router } from '../../contracts/router.ts';
import { replayRoutes, type ReplayedRoute } from '../../coordinator/replay.ts';
import { TraceError } from './errors.ts';
import { readTrace } from './reader.ts';

/**
 * Routes the recorded transcripts of a full trace again, one result a turn.
 *
 * @throws TraceError `unreadable`, `not_a_trace`, `no_text` (a trace of hashes has no transcripts); the
 *   router's own error
 */
export async function* replayTrace(
  path: string,
  router: Router,
  signal: AbortSignal,
): AsyncGenerator<ReplayedRoute, void, void> {
  yield* replayRoutes(eventsOf(path), router, signal);
}

async function* eventsOf(path: string): AsyncGenerator<RunEvent, void, void> {
  let isFirst = true;
  for await (const read of readTrace(path)) {
    if (isFirst && (read.kind !== 'event' || read.line.type !== 'run_started')) {
      throw new TraceError('not_a_trace', 'The file does not begin with the first event of a run.');
    }
    isFirst = false;
    if (read.kind !== 'event') continue;
    if (read.line.type === 'run_started' && read.line.task === undefined) {
      throw new TraceError(
        'no_text',
        'This trace holds hashes only, so there is no text to route again. Traces written with the full content can be replayed.',
      );
    }
    const event = runEventSchema.safeParse(read.line);
    if (event.success) yield event.data;
  }
  if (isFirst) throw new TraceError('not_a_trace', 'The file is empty.');
}
