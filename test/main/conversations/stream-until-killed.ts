import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent } from '../../../contracts/events.ts';
import { ConversationService } from '../../../main/conversations/conversation-service.ts';
import type { RunLoop } from '../../../main/conversations/run-loop.ts';
import { createSystemClock } from '../../../main/hosts/system-clock.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { acceptedRun, decisionOf } from '../../fixtures/run-events.ts';

/**
 * A program that answers without end, to be killed: `node stream-until-killed.ts <data directory>`.
 * The answer is the numbers from 0. It prints a line once the numbers so far have had time to be stored.
 */
async function* endless(runId: string): AsyncGenerator<RunEvent, void, undefined> {
  const beginning = acceptedRun(runId, []).slice(0, 4);
  yield* beginning;
  const base = { v: 1, runId, turn: 1, type: 'delta', channel: 'text' } as const;
  for (let number = 0; ; number += 1) {
    yield { ...base, at: Date.now(), seq: beginning.length + number, text: `${number} ` };
    if (number % 20 === 19) await pause(1);
    if (number % 5000 === 4999) process.stdout.write(`${number}\n`);
  }
}

const loop: RunLoop = {
  slotCount: () => 7,
  agentsKind: () => 'rehearsal',
  run: (start) => endless(start.runId),
  decide: () => Promise.resolve(decisionOf()),
};
const service = new ConversationService({
  dataDirectory: process.argv[2] ?? '',
  loop,
  openTrace: async () => ({ write: () => undefined, close: () => Promise.resolve() }),
  clock: createSystemClock(),
  random: createSystemRandom(),
});
const { id } = service.create();
service.runs.start(id, 'Count.', {});
process.stdout.write('started\n');
