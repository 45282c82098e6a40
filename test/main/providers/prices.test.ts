import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import { costOf, mostInputTokens, worstCaseCost } from '../../../main/providers/cost.ts';
import { PriceTable, priceSnapshotSchema } from '../../../main/providers/price-table.ts';
import { callOf, emptyPrices, question, slot } from './harness.ts';

const snapshotFile = new URL('../../../assets/prices/prices.json', import.meta.url);
const snapshot = priceSnapshotSchema.parse(JSON.parse(readFileSync(snapshotFile, 'utf8')));
const table = new PriceTable(snapshot);

describe('the bundled price snapshot', () => {
  it('records where and when its prices come from', () => {
    expect(snapshot.source).toMatchObject({ package: '@pydantic/genai-prices', license: 'MIT' });
    expect(snapshot.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it.each([
    ['openai', 'gpt-5-mini', 12_000],
    ['openai', 'gpt-4.1-mini-2025-04-14', 500],
    ['anthropic', 'claude-sonnet-4-5-20250929', 1_000],
    ['anthropic', 'claude-sonnet-4-5-20250929', 250_000],
    ['google', 'gemini-2.5-pro', 150_000],
    ['google', 'gemini-2.5-pro', 300_000],
    ['mistral', 'mistral-large-latest', 100],
    ['groq', 'llama-3.3-70b-versatile', 100],
    ['azure', 'gpt-4o', 100],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 100],
  ])('prices %s %s at %i tokens as its source does', (provider, model, inputTokens) => {
    const timestamp = new Date(`${snapshot.asOf}T12:00:00Z`);
    const source = calcPrice({ input_tokens: inputTokens, output_tokens: 900 }, model, {
      providerId: provider,
      timestamp,
    });
    const ours = costOf(table.find(provider, model), {
      inputTokens,
      cachedInputTokens: null,
      outputTokens: 900,
      reasoningTokens: null,
    });
    expect(source).not.toBeNull();
    expect(ours).toBeCloseTo(source?.total_price ?? Number.NaN, 12);
  });

  it('takes cached input at its own price, as its source does', () => {
    const usage = { input_tokens: 1_000, cache_read_tokens: 600, output_tokens: 10 };
    const source = calcPrice(usage, 'gpt-5-mini', { providerId: 'openai' });
    const ours = costOf(table.find('openai', 'gpt-5-mini'), {
      inputTokens: 1_000,
      cachedInputTokens: 600,
      outputTokens: 10,
      reasoningTokens: null,
    });
    expect(ours).toBeCloseTo(source?.total_price ?? Number.NaN, 12);
  });

  it('does not know a model that it lacks', () => {
    expect(table.find('openai', 'no-such-model')).toBeNull();
    expect(table.find('no-such-provider', 'gpt-5')).toBeNull();
  });
});

describe('the price of a slot', () => {
  it('is what the person set, before the table', () => {
    const price = { inputUsdPerMillion: 2, outputUsdPerMillion: 8 };
    const binding = slot({ provider: 'openai', model: 'gpt-5-mini', price });
    expect(table.of(binding)).toEqual({ input: 2, output: 8 });
    expect(table.shown(binding)).toEqual({ ...price, asOf: null });
  });

  it('is unknown for the same model at another address', () => {
    const binding = { provider: 'openai', model: 'gpt-5-mini' };
    expect(table.of(slot(binding))).not.toBeNull();
    expect(table.of(slot({ ...binding, baseUrl: 'https://proxy.example/v1' }))).toBeNull();
    expect(table.of(slot({ ...binding, baseUrl: 'https://api.openai.com/v1' }))).not.toBeNull();
  });

  it('is nothing for a rehearsal and unknown for a local server', () => {
    expect(table.of(slot({ provider: 'rehearsal' }))).toEqual({ input: 0, output: 0 });
    expect(table.of(slot({ provider: 'ollama', model: 'qwen3:8b' }))).toBeNull();
  });
});

describe('a cost', () => {
  it('is unknown, never zero, where a price or a count is unknown', () => {
    const usage = {
      inputTokens: 5,
      cachedInputTokens: null,
      outputTokens: null,
      reasoningTokens: 1,
    };
    expect(costOf(null, { ...usage, outputTokens: 3 })).toBeNull();
    expect(costOf({ input: 1, output: 1 }, usage)).toBeNull();
    expect(costOf({ input: 1, output: 1 }, null)).toBeNull();
  });

  it('is estimated from bytes in and max tokens out, so that it cannot be exceeded', () => {
    const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 10 };
    const binding = slot({ price, parameters: { maxTokens: 1_000 } });
    const bytes = Buffer.byteLength(question.system + (question.messages[0]?.content ?? ''));
    const { usd } = worstCaseCost(binding, callOf(), new PriceTable(emptyPrices));
    expect(usd).toBeGreaterThanOrEqual((bytes + 10 * 1_000) / 1_000_000);
    expect(mostInputTokens(question)).toBeGreaterThan(bytes);
  });

  it('has no estimate without a price or a limit of output, and says which', () => {
    const empty = new PriceTable(emptyPrices);
    const unpriced = worstCaseCost(slot({ parameters: { maxTokens: 10 } }), callOf(), empty);
    expect(unpriced).toMatchObject({ usd: null, reason: expect.stringMatching(/price/) });
    const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 1 };
    const unlimited = worstCaseCost(slot({ price }), callOf(), empty);
    expect(unlimited).toMatchObject({ usd: null, reason: expect.stringMatching(/max tokens/) });
  });

  it('of a free slot is zero without a limit of output', () => {
    const price = { inputUsdPerMillion: 0, outputUsdPerMillion: 0 };
    expect(worstCaseCost(slot({ price }), callOf(), new PriceTable(emptyPrices)).usd).toBe(0);
  });
});
