import fc from 'fast-check';
import { it } from 'vitest';
import { parseSuggestion } from '../../coordinator/thinker.ts';
import { parseVerdict } from '../../coordinator/verdict.ts';
import { checkPromises } from '../coordinator/loop-promises.ts';
import { play, scenarios } from '../coordinator/random-runs.ts';
import { longSeed, scaled } from './scale.ts';

it('keeps the promises of the loop over many more random runs', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      checkPromises(await play(scenario), scenario);
    }),
    { numRuns: scaled(200_000), seed: longSeed() },
  );
});

it('reads any text of a Verifier or a Thinker without an error', () => {
  const words = { accept: 'ACCEPT', revise: 'REVISE' };
  const text = fc.string({ unit: 'binary', maxLength: 200 });
  const known = fc.constantFrom('ACCEPT', 'REVISE', '<think>', '</think>', '<suggestion>', '\n');
  const pieces = fc.array(fc.oneof(text, known), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, (parts) => {
      parseVerdict(parts.join(''), words);
      parseSuggestion(parts.join(''));
    }),
    { numRuns: scaled(300_000), seed: longSeed() },
  );
});
