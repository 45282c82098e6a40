import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { SlotBinding } from '../../contracts/slots.ts';
import { createHttpClient } from '../../main/hosts/http-client.ts';
import { createSystemClock } from '../../main/hosts/system-clock.ts';
import { createSystemRandom } from '../../main/hosts/system-random.ts';
import { environmentKeys, presetOf } from '../../main/providers/presets.ts';
import { openProviders } from '../../main/providers/providers.ts';
import { environmentKeys as readKeys } from '../../main/settings/keys/environment-keys.ts';
import { createVault } from '../../main/settings/keys/vault.ts';
import { skipUnless } from '../fixtures/skip.ts';
import { callOf, collect, slot } from '../main/providers/harness.ts';

/**
 * Real providers, asked only when someone says so and pays for it: see docs/providers.md.
 *
 * `TRINITY_LIVE_PROVIDERS=openai:gpt-5-mini,anthropic:claude-haiku-4-5 TRINITY_LIVE_CAP_USD=0.05`
 */
const named = process.env['TRINITY_LIVE_PROVIDERS'] ?? '';
const capUsd = Number(process.env['TRINITY_LIVE_CAP_USD']);
const targets = named
  .split(',')
  .filter((target) => target.includes(':'))
  .map((target) => {
    const [provider = '', ...model] = target.split(':');
    return { provider: provider.trim(), model: model.join(':').trim() };
  });

const live = skipUnless(
  targets.length > 0 && capUsd > 0,
  'real providers are not asked: TRINITY_LIVE_PROVIDERS and TRINITY_LIVE_CAP_USD are not both set',
);

live.describe('real providers', () => {
  live.it('pass the test of their slot and answer a short question within the cap', async () => {
    const random = createSystemRandom();
    const client = createHttpClient({ environment: process.env });
    const bindings: SlotBinding[] = targets.map(({ provider, model }, index) =>
      slot({
        index,
        provider,
        model,
        parameters: { maxTokens: 512 },
        // Every slot gets its share: together they cannot spend more than the cap.
        monthlyCapUsd: capUsd / targets.length,
      }),
    );
    const providers = await openProviders({
      store: { read: () => bindings, update: () => Promise.reject(new Error('read only')) },
      vault: createVault({
        file: null,
        ciphers: [],
        environment: readKeys(environmentKeys(), process.env),
        program: 'the live lane',
        random,
      }),
      http: client.http,
      clock: createSystemClock(),
      random,
      agentLabels: () => targets.map(({ model }) => model),
      folder: null,
      pricesFile: fileURLToPath(new URL('../../assets/prices/prices.json', import.meta.url)),
      rehearsalPaceMs: 0,
      rehearsalScript: null,
      onProblem: (problem) => {
        throw problem;
      },
    });
    for (const { index, provider, model } of bindings) {
      expect(presetOf(provider), `${provider} is no preset`).not.toBeNull();
      const test = await providers.slots.test(index, false, new AbortController().signal);
      expect(test, `${provider} ${model}: ${test.message}`).toMatchObject({ ok: true });
      const { text, last } = await collect(providers.agents('slots'), callOf({ slot: index }));
      expect(last, JSON.stringify(last)).toMatchObject({ type: 'finished' });
      expect(text).toMatch(/4|four/i);
    }
    const spent = providers.spending.totals().reduce((sum, { usd }) => sum + usd, 0);
    expect(spent).toBeLessThanOrEqual(capUsd);
    await providers.close();
    await client.close();
  });
});
