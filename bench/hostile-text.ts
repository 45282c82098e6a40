import { chatRouteDefaults } from '../contracts/route.ts';
import { fullSizeRouter } from './full-size-router.ts';
import type { BenchContext, BenchLane, BenchReport } from './lane.ts';
import { LoadedRouter } from './loaded-router.ts';

const megabyte = 1_000_000;

/** Messages that are slow to normalise or to tokenise, as large as a person can paste them. */
const texts: Readonly<Record<string, string>> = {
  'stacked combining marks': `e${'\u0301\u0323'.repeat(megabyte / 2)}`,
  'one letter': 'a'.repeat(megabyte),
  digits: '1234567890'.repeat(megabyte / 10),
  emoji: '🧵'.repeat(megabyte / 2),
};

/** A megabyte of hostile text in a chat: the cap of a message's characters keeps it short. */
export const hostileTextLane: BenchLane = {
  name: 'hostile-text',
  about: 'tokenising a megabyte of hostile text under the character cap of a chat',
  run: measureHostileText,
};

async function measureHostileText(context: BenchContext): Promise<BenchReport> {
  const directory = await fullSizeRouter(context.workFolder, context.say);
  const router = await LoadedRouter.open(directory, 'cpu-int8', context.workFolder);
  try {
    const rows = [];
    for (const [name, content] of Object.entries(texts)) {
      context.say(`routing ${name}`);
      const request = { ...chatRouteDefaults, windowTokens: 512 };
      const { timings, tokenCount } = await router.route({
        ...request,
        messages: [{ role: 'user', content }],
      });
      const { tokenizeMs, runMs } = timings;
      rows.push({
        name,
        values: { 'tokenise ms': tokenizeMs, 'tokens read': tokenCount, 'run ms': runMs },
      });
    }
    return { rows, bars: [] };
  } finally {
    await router.close();
  }
}
