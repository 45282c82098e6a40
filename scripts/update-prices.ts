import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import { format } from 'prettier';
import {
  priceSnapshotSchema,
  type PriceSnapshot,
  type Rate,
} from '../main/providers/price-table.ts';
import { presets } from '../main/providers/presets.ts';

/**
 * Converts the prices of `@pydantic/genai-prices` (MIT) into `assets/prices/prices.json`:
 * `node scripts/update-prices.ts [YYYY-MM-DD]`, the day as of which the prices are to hold (default:
 * today). Run it after updating the package; its version is recorded in the snapshot.
 *
 * Kept are the providers that our presets name and the models with a price for text in and out. Of
 * prices that change by date the one in force is kept, of prices that change by the hour the dearest, so
 * that an estimate stays an upper bound.
 */
const asOf = process.argv[2] ?? new Date().toISOString().slice(0, 10);
const snapshotFile = fileURLToPath(new URL('../assets/prices/prices.json', import.meta.url));
const packageFile = new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
const { version, license } = JSON.parse(await readFile(packageFile, 'utf8')) as {
  version: string;
  license?: string;
};

const providers: PriceSnapshot['providers'] = {};
const ids = new Set(presets.map(({ priceProvider }) => priceProvider));
for (const id of [...ids].filter((name) => name !== null).toSorted()) {
  const provider = findProvider({ providerId: id });
  if (provider === undefined) throw new Error(`the package has no provider ${id}`);
  providers[id] = {
    models: provider.models.flatMap((model) => convert(model)),
    fallbacks: (provider.fallback_model_providers ?? []).filter((other) => ids.has(other)),
  };
}
const snapshot = priceSnapshotSchema.parse({
  format: 'trinity-prices',
  version: 1,
  source: { package: '@pydantic/genai-prices', version, license: license ?? 'MIT' },
  asOf,
  providers,
});
await mkdir(dirname(snapshotFile), { recursive: true });
await writeFile(
  snapshotFile,
  await format(JSON.stringify(snapshot), { parser: 'json', printWidth: 100 }),
);
const models = Object.values(providers).reduce((sum, { models: list }) => sum + list.length, 0);
console.log(`${models} models of ${Object.keys(providers).length} providers, as of ${asOf}`);

function convert({ id, match, prices }: ModelInfo): PriceSnapshot['providers'][string]['models'] {
  const price = inForce(prices);
  const input = rateOf(price['input_mtok']);
  const output = rateOf(price['output_mtok']);
  if (input === null || output === null) return [];
  const cachedInput = rateOf(price['cache_read_mtok']);
  return [
    { id, match, price: { input, ...(cachedInput === null ? {} : { cachedInput }), output } },
  ];
}

/** The price that holds on the day; the dearest of those that change by the hour. */
function inForce(prices: ModelInfo['prices']): ModelPrice {
  if (!Array.isArray(prices)) return prices;
  let current: ModelPrice = {};
  for (const { constraint, prices: candidate } of prices) {
    if (constraint === undefined) current = candidate;
    else if (constraint.type === 'start_date') {
      if (constraint.start_date <= asOf) current = candidate;
    } else if (dearness(candidate) > dearness(current)) current = candidate;
  }
  return current;
}

function dearness(price: ModelPrice): number {
  const of = (rate: Rate | null): number =>
    rate === null ? 0 : typeof rate === 'number' ? rate : rate.base;
  return of(rateOf(price['input_mtok'])) + of(rateOf(price['output_mtok']));
}

function rateOf(value: ModelPrice[string]): Rate | null {
  if (value === undefined) return null;
  if (typeof value === 'number') return value;
  return { base: value.base, tiers: value.tiers.map(({ start, price }) => ({ start, price })) };
}
