/** A program that traces a run of endless deltas until it is killed. Prints a line once some are written. */
import { join } from 'node:path';
import type { RunEvent } from '../../../contracts/events.ts';
import { eventfulRun, openWriter } from './traced-run.ts';

const directory = process.argv[2] ?? '.';
const writer = openWriter(directory);
const events = await eventfulRun();
const begun = events.findIndex(({ type }) => type === 'dispatch_started');
for (const event of events.slice(0, begun + 1)) writer.write(event);
for (let seq = begun + 1; ; seq++) {
  const delta = { v: 1, seq, runId: 'run-1', turn: 1, at: seq } as const;
  writer.write({
    ...delta,
    type: 'delta',
    channel: 'text',
    text: 'x'.repeat(seq % 50),
  } as RunEvent);
  if (seq === begun + 20) process.stdout.write(`${join(directory, 'run-1.jsonl')}\n`);
  if (seq % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
