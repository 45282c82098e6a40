import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../../contracts/events.ts';
import type { Failure } from '../../../contracts/failure.ts';
import type { Message } from '../../../contracts/transcript.ts';
import { Redaction, type KnownValues } from '../../../main/traces/redaction.ts';
import type { TraceLine } from '../../../main/traces/trace-line.ts';
import { TraceWriter, type TraceWriterOptions } from '../../../main/traces/writer.ts';
import {
  ScriptedAgents,
  ScriptedRouter,
  collect,
  failure,
  logitsFor,
  runInput,
  says,
  streams,
  type RunOverrides,
} from '../../coordinator/scripted-run.ts';

export const traceKey = new Uint8Array(32).fill(9);
export const nothingKnown: KnownValues = { secrets: [], addresses: [] };

/** What came before the task of `eventfulRun`, as the router reads it. */
export const eventfulEarlier: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Before?' },
  { role: 'assistant', content: 'Yes.' },
];

/** Events of a run with a retry, a failed slot, a plan, a revision and an accept. */
export function eventfulRun(
  over: RunOverrides = {},
  onEvent: (event: RunEvent) => void = () => {},
): Promise<RunEvent[]> {
  const router = new ScriptedRouter([
    logitsFor(1, 'Thinker'),
    logitsFor(0, 'Worker'),
    logitsFor(2, 'Verifier'),
    logitsFor(2, 'Worker'),
    logitsFor(0, 'Verifier'),
  ]);
  const agents = new ScriptedAgents([
    streams(
      { type: 'started', provider: 'scripted', model: 'm' },
      failure('limited', { retrying: true, httpStatus: 429 }),
      { type: 'started', provider: 'scripted', model: 'm' },
      failure('overloaded', { httpStatus: 503 }),
    ),
    says('Plan.<suggestion>add</suggestion><suggested_role>worker</suggested_role>', 0.01),
    says('It is 41.'),
    says('REVISE: off by one'),
    says('It is 42.'),
    says('ACCEPT: right'),
  ]);
  return collect(
    runInput({
      router,
      agents,
      systemPrompt: 'Be brief.',
      history: [{ task: 'Before?', answer: 'Yes.' }],
      ...over,
    }),
    onEvent,
  );
}

export interface Written {
  readonly writer: TraceWriter;
  readonly problems: readonly Failure[];
}

type WriterOverrides = Partial<TraceWriterOptions> & { readonly known?: KnownValues };

/** A writer to `<directory>/run-1.jsonl`. */
export function openWriter(directory: string, over: WriterOverrides = {}): TraceWriter {
  const { known = nothingKnown, ...options } = over;
  return new TraceWriter({
    path: join(directory, 'run-1.jsonl'),
    content: 'hash',
    key: traceKey,
    earlier: eventfulEarlier,
    redaction: new Redaction(known),
    onProblem: () => {},
    ...options,
  });
}

/** Writes events to `<directory>/run-1.jsonl` and closes the file. */
export async function writeTrace(
  directory: string,
  events: readonly RunEvent[],
  over: WriterOverrides = {},
): Promise<Written> {
  const problems: Failure[] = [];
  const writer = openWriter(directory, { onProblem: (problem) => problems.push(problem), ...over });
  for (const event of events) writer.write(event);
  await writer.close();
  return { writer, problems };
}

export function linesOf(path: string): TraceLine[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TraceLine);
}
