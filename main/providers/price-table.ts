import { z } from 'zod';
import type { SlotBinding } from '../../contracts/slots.ts';
import { presetOf } from './presets.ts';

/** US dollars per million tokens; above an input of `start` tokens a dearer rate holds for all of them. */
const rateSchema = z.union([
  z.number().min(0),
  z.object({
    base: z.number().min(0),
    tiers: z.array(z.object({ start: z.number(), price: z.number().min(0) })),
  }),
]);
export type Rate = z.infer<typeof rateSchema>;

const priceSchema = z.object({
  input: rateSchema,
  /** Input read from the provider's cache; absent means that it costs as much as other input. */
  cachedInput: rateSchema.optional(),
  output: rateSchema,
});
/** What the tokens of a model cost. */
export type ModelPrice = z.infer<typeof priceSchema>;

type Match =
  | { equals: string }
  | { starts_with: string }
  | { ends_with: string }
  | { contains: string }
  | { regex: string }
  | { or: Match[] }
  | { and: Match[] };
const matchSchema: z.ZodType<Match> = z.lazy(() =>
  z.union([
    z.strictObject({ equals: z.string() }),
    z.strictObject({ starts_with: z.string() }),
    z.strictObject({ ends_with: z.string() }),
    z.strictObject({ contains: z.string() }),
    z.strictObject({ regex: z.string() }),
    z.strictObject({ or: z.array(matchSchema) }),
    z.strictObject({ and: z.array(matchSchema) }),
  ]),
);

/** The bundled price snapshot, `assets/prices/prices.json`. */
export const priceSnapshotSchema = z.object({
  format: z.literal('trinity-prices'),
  version: z.literal(1),
  source: z.object({ package: z.string(), version: z.string(), license: z.string() }),
  /** Day on which the prices were looked at, `YYYY-MM-DD`. */
  asOf: z.string(),
  providers: z.record(
    z.string(),
    z.object({
      models: z.array(z.object({ id: z.string(), match: matchSchema, price: priceSchema })),
      /** Providers whose models it resells at their price. */
      fallbacks: z.array(z.string()),
    }),
  ),
});
export type PriceSnapshot = z.infer<typeof priceSnapshotSchema>;

/** Prices of models by provider: a dated snapshot. What it lacks is unknown. */
export class PriceTable {
  readonly #snapshot: PriceSnapshot;

  constructor(snapshot: PriceSnapshot) {
    this.#snapshot = snapshot;
  }

  get asOf(): string {
    return this.#snapshot.asOf;
  }

  /** Price of a provider's model, or null. The table's own order decides between two that match. */
  find(priceProvider: string, model: string): ModelPrice | null {
    const name = model.trim().toLowerCase();
    const provider = this.#snapshot.providers[priceProvider];
    for (const id of [priceProvider, ...(provider?.fallbacks ?? [])]) {
      const models = this.#snapshot.providers[id]?.models ?? [];
      const found = models.find(({ match }) => matches(match, name));
      if (found !== undefined) return found.price;
    }
    return null;
  }

  /**
   * What a slot's tokens cost: the slot's own price, else the table's for its model; null when unknown.
   * A slot with a base URL of its own is priced only if that URL is its preset's: the same model costs
   * something else elsewhere.
   */
  of(binding: SlotBinding, resolvedModel: string | null = null): ModelPrice | null {
    if (binding.price !== undefined) {
      const { inputUsdPerMillion, outputUsdPerMillion } = binding.price;
      return { input: inputUsdPerMillion, output: outputUsdPerMillion };
    }
    const preset = presetOf(binding.provider);
    if (preset === null) return null;
    if (preset.wireFormat === 'rehearsal') return { input: 0, output: 0 };
    if (preset.priceProvider === null) return null;
    const { baseUrl } = binding;
    if (
      baseUrl !== undefined &&
      preset.baseUrl !== null &&
      !isSameOrigin(baseUrl, preset.baseUrl)
    ) {
      return null;
    }
    return (
      this.find(preset.priceProvider, binding.model) ??
      (resolvedModel === null ? null : this.find(preset.priceProvider, resolvedModel))
    );
  }

  /** The base rates of a slot as a person sees them; `asOf` is null for a price they set themselves. */
  shown(
    binding: SlotBinding,
  ): { inputUsdPerMillion: number; outputUsdPerMillion: number; asOf: string | null } | null {
    const price = this.of(binding);
    if (price === null) return null;
    const isOurs = binding.price === undefined && binding.provider !== 'rehearsal';
    return {
      inputUsdPerMillion: baseOf(price.input),
      outputUsdPerMillion: baseOf(price.output),
      asOf: isOurs ? this.asOf : null,
    };
  }
}

function baseOf(rate: Rate): number {
  return typeof rate === 'number' ? rate : rate.base;
}

function isSameOrigin(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin;
}

function matches(match: Match, name: string): boolean {
  if ('equals' in match) return name === match.equals;
  if ('starts_with' in match) return name.startsWith(match.starts_with);
  if ('ends_with' in match) return name.endsWith(match.ends_with);
  if ('contains' in match) return name.includes(match.contains);
  if ('regex' in match) return new RegExp(match.regex).test(name);
  if ('or' in match) return match.or.some((inner) => matches(inner, name));
  return match.and.every((inner) => matches(inner, name));
}
