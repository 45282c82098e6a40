import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../../contracts/events.ts';
import { ConversationService } from '../../../main/conversations/conversation-service.ts';
import type { RunLoop } from '../../../main/conversations/run-loop.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { FakeClock } from '../../coordinator/scripted-run.ts';
import { SteppedLoop } from './stepped-loop.ts';

/** A conversation service with a stepped loop and a fake clock; in memory unless a folder is given. */
export function openService<Loop extends RunLoop = SteppedLoop>(
  options: { dataDirectory?: string; loop?: Loop; clock?: FakeClock } = {},
) {
  const clock = options.clock ?? new FakeClock();
  const loop = (options.loop ?? new SteppedLoop()) as Loop;
  const traced: RunEvent[] = [];
  const service = new ConversationService({
    dataDirectory: options.dataDirectory ?? null,
    loop,
    openTrace: async () => ({
      write: (event) => void traced.push(event),
      close: async () => undefined,
    }),
    clock,
    random: createSystemRandom(),
  });
  onTestFinished(() => service.close());
  return { service, loop, clock, traced };
}

/** Lets everything that is ready run. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
