import { runEventSchema, type RunEvent } from '../../contracts/events.ts';
import type { Message } from '../../contracts/transcript.ts';
import type { Router } from '../../contracts/router.ts';
import { replayRoutes, type ReplayedRoute } from '../../coordinator/replay.ts';
import { TraceError } from './errors.ts';
import { readTrace } from './reader.ts';
import type { TraceLineOf } from './trace-line.ts';

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
  const earlier = await checkReplayable(path);
  yield* replayRoutes(earlier, eventsOf(path), router, signal);
}

/**
 * Whether a trace can be replayed, before a router is loaded for it.
 *
 * @returns the routed messages before the run's task
 * @throws TraceError as `replayTrace` does
 */
export async function checkReplayable(path: string): Promise<readonly Message[]> {
  for await (const read of readTrace(path)) {
    if (read.kind === 'event' && read.line.type === 'run_started') return earlierOf(read.line);
  }
  return [];
}

async function* eventsOf(path: string): AsyncGenerator<RunEvent, void, void> {
  for await (const read of readTrace(path)) {
    if (read.kind !== 'event') continue;
    const event = runEventSchema.safeParse(read.line);
    if (event.success) yield event.data;
  }
}

function earlierOf(line: TraceLineOf<'run_started'>): readonly Message[] {
  if (line.task === undefined) {
    throw new TraceError(
      'no_text',
      'This trace holds hashes only, so there is no text to route again. Traces written with the full content can be replayed.',
    );
  }
  return line.earlier ?? [];
}
