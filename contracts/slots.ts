import { z } from 'zod';

/** Wire formats that a provider may speak. */
export const wireFormats = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-gemini',
  'rehearsal',
] as const;
export const wireFormatSchema = z.enum(wireFormats);
export type WireFormat = z.infer<typeof wireFormatSchema>;

/** An http(s) URL without credentials, query or fragment. */
export const baseUrlSchema = z
  .string()
  .max(2000)
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const url = new URL(text);
    return (
      (url.protocol === 'https:' || url.protocol === 'http:') &&
      url.username === '' &&
      url.password === '' &&
      url.search === '' &&
      url.hash === ''
    );
  }, 'A base URL is http(s)://host/path without user, password, query or fragment.');

export const slotParametersSchema = z.object({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().gt(0).max(1).optional(),
  maxTokens: z.number().int().min(1).max(1_000_000).optional(),
  reasoningEffort: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
  /** Added to the role's instruction for this slot. */
  systemSuffix: z.string().max(20_000).optional(),
  stop: z.array(z.string().min(1).max(200)).max(4).optional(),
});
export type SlotParameters = z.infer<typeof slotParametersSchema>;

export const slotTimeoutsSchema = z.object({
  connectMs: z.number().int().min(100).default(15_000),
  firstTokenMs: z.number().int().min(100).default(120_000),
  idleMs: z.number().int().min(100).default(60_000),
  totalMs: z.number().int().min(100).default(600_000),
});
export type SlotTimeouts = z.output<typeof slotTimeoutsSchema>;

/** What a person says a slot's tokens cost, in US dollars per million. It goes before the price table. */
export const slotPriceSchema = z.object({
  inputUsdPerMillion: z.number().min(0),
  outputUsdPerMillion: z.number().min(0),
});

/** Reference to a secret in the vault. The secret itself never leaves it. */
export const keyRefSchema = z.string().min(1).max(200);

/** What a slot calls. `index` is the agent's position among the agent logits. */
export const slotBindingSchema = z.object({
  index: z.number().int().min(0).max(255),
  name: z.string().min(1).max(100),
  provider: z.string().min(1).max(100),
  model: z.string().min(1).max(300),
  /** Overrides the preset's base URL; required for a compatible server. */
  baseUrl: baseUrlSchema.optional(),
  keyRef: keyRefSchema.nullable().default(null),
  /** Header name to vault item: header values are secrets too. */
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), keyRefSchema).default({}),
  parameters: slotParametersSchema.default({}),
  timeouts: slotTimeoutsSchema.prefault({}),
  concurrency: z.number().int().min(1).max(64).default(4),
  price: slotPriceSchema.optional(),
  /** The slot is masked once it has spent this much in a calendar month (UTC). */
  monthlyCapUsd: z.number().positive().optional(),
  enabled: z.boolean().default(true),
});
export type SlotBinding = z.output<typeof slotBindingSchema>;
export type SlotBindingInput = z.input<typeof slotBindingSchema>;

/**
 * What a slot is called until a person names it: its number and its model, without the model's vendor. The
 * number stands first, where a narrow column does not cut it off.
 */
export function defaultSlotName(index: number, model: string): string {
  const name = model.trim().split('/').at(-1) ?? '';
  return name === '' ? `Slot ${index}` : `Slot ${index} · ${name}`.slice(0, 100);
}

/** Health of a slot as its calls have shown it. */
export const slotHealthSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('untried') }),
  z.object({ state: z.literal('healthy') }),
  z.object({ state: z.literal('limited'), until: z.number() }),
  z.object({ state: z.literal('failing'), until: z.number(), code: z.string() }),
]);
export type SlotHealth = z.infer<typeof slotHealthSchema>;

/**
 * A layout as it is exported and imported: what every slot calls, and never a key. Of headers only the
 * names are kept, because their values are secrets too.
 */
export const slotLayoutSchema = z.object({
  format: z.literal('trinity-slots'),
  version: z.literal(1),
  slots: z
    .array(
      slotBindingSchema
        .omit({ keyRef: true, headers: true })
        .extend({ headerNames: z.array(z.string().regex(/^[A-Za-z0-9-]{1,100}$/)).default([]) }),
    )
    .max(256),
  /** Slots that are left unbound on purpose: a slot that stands nowhere is a mistake. */
  unbound: z.array(z.number().int().min(0).max(255)).max(256).default([]),
});
export type SlotLayout = z.output<typeof slotLayoutSchema>;
