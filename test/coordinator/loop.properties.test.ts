import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../contracts/events.ts';
import { checkPromises } from './loop-promises.ts';
import { play, scenarios } from './random-runs.ts';

const sequences = 10_000;
const seed = Number(process.env['TRINITY_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
process.stdout.write(`[seed] loop properties: ${seed} (repeat with TRINITY_SEED=${seed})\n`);

describe(`the loop over ${sequences} random runs`, () => {
  it('keeps its promises', { timeout: 120_000 }, async () => {
    const endings = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const seen = await play(scenario);
        checkPromises(seen, scenario);
        const last = seen.events.at(-1);
        const ending = seen.left ? 'left' : describeEnding(last);
        endings.set(ending, (endings.get(ending) ?? 0) + 1);
      }),
      { numRuns: sequences, seed },
    );
    // The scenarios reach every way a run can end; otherwise the promises above say little.
    for (const ending of [
      'accepted',
      'max_turns',
      'stopped',
      'budget calls',
      'budget wall_time',
      'budget latency',
      'budget revisions',
      'budget cost',
      'failed no_agent_available',
      'failed broken',
      'failed agent_error',
      'failed stream_ended',
      'failed price_unknown',
      'failed invalid_logits',
      'failed invalid_pin',
      'failed internal',
      'left',
    ]) {
      expect(endings.get(ending) ?? 0, ending).toBeGreaterThan(0);
    }
  });
});

describe('a run', () => {
  it('with equal inputs has equal events', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        expect((await play(scenario)).events).toEqual((await play(scenario)).events);
      }),
      { numRuns: 300, seed },
    );
  });
});

function describeEnding(event: RunEvent | undefined): string {
  if (event?.type === 'run_failed') return `failed ${event.code}`;
  if (event?.type !== 'run_completed') return 'none';
  return event.status === 'budget' ? `budget ${event.budget}` : event.status;
}
