import type { AgentCall, CostEstimate } from '../../contracts/agents.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { presetOf } from './presets.ts';
import type { ModelPrice, PriceTable, Rate } from './price-table.ts';
import type { ReportedUsage } from './wire/port.ts';

/**
 * What a finished call cost in US dollars; null when a price or a token count is unknown. What costs
 * nothing needs no count.
 * Reasoning is part of the output, and is billed as output.
 */
export function costOf(price: ModelPrice | null, usage: ReportedUsage | null): number | null {
  if (price === null) return null;
  if (isFree(price)) return 0;
  if (usage === null) return null;
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === null || outputTokens === null) return null;
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  const perMillion =
    (inputTokens - cached) * rateAt(price.input, inputTokens) +
    cached * rateAt(price.cachedInput ?? price.input, inputTokens) +
    outputTokens * rateAt(price.output, inputTokens);
  return perMillion / 1_000_000;
}

/** Tokens of a message's frame in a chat template, generously. */
const frameTokens = 16;

/**
 * The most that a call can cost. Input is bounded by its UTF-8 bytes, because no tokenizer in use makes
 * more tokens than bytes; output by the slot's max tokens. Either unknown makes the estimate unknown.
 */
export function worstCaseCost(
  binding: SlotBinding,
  call: Pick<AgentCall, 'view'>,
  prices: PriceTable,
): CostEstimate {
  const price = prices.of(binding);
  if (price === null) {
    return {
      usd: null,
      reason: `The price of ${binding.model} is unknown. Set one in slot ${binding.index}, or allow unknown prices.`,
    };
  }
  if (isFree(price)) return { usd: 0, reason: `Slot ${binding.index} costs nothing.` };
  const maxTokens = binding.parameters.maxTokens ?? presetOf(binding.provider)?.unsetMaxTokens;
  if (maxTokens === undefined || maxTokens === null) {
    return {
      usd: null,
      reason: `Slot ${binding.index} has no limit of output tokens, so its cost has none either. Set max tokens.`,
    };
  }
  const inputTokens = mostInputTokens(call.view);
  const usd =
    (inputTokens * rateAt(price.input, inputTokens) +
      maxTokens * rateAt(price.output, inputTokens)) /
    1_000_000;
  return { usd, reason: `At most ${inputTokens} tokens in and ${maxTokens} out.` };
}

/** An upper bound of the tokens that a view has in any byte-level tokenizer. */
export function mostInputTokens({ system, messages }: AgentCall['view']): number {
  return [system, ...messages.map(({ content }) => content)].reduce(
    (sum, text) => sum + Buffer.byteLength(text, 'utf8') + frameTokens,
    0,
  );
}

function isFree(price: ModelPrice): boolean {
  return price.input === 0 && price.output === 0;
}

/** The rate that holds for an input of this many tokens. */
function rateAt(rate: Rate, inputTokens: number): number {
  if (typeof rate === 'number') return rate;
  return rate.tiers
    .filter(({ start }) => inputTokens > start)
    .reduce((dearest, { start, price }) => (start >= dearest.start ? { start, price } : dearest), {
      start: -1,
      price: rate.base,
    }).price;
}
