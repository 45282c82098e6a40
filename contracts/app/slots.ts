import { oc } from '@orpc/contract';
import { z } from 'zod';
import { keySchemeSchema, secretKindSchema, vaultItemSchema } from '../keys.ts';
import {
  baseUrlSchema,
  slotBindingSchema,
  slotHealthSchema,
  slotLayoutSchema,
  slotPriceSchema,
  wireFormatSchema,
} from '../slots.ts';

/** A provider that slots can be bound to without knowing its URL. */
export const providerPresetSchema = z.object({
  id: z.string(),
  name: z.string(),
  wireFormat: wireFormatSchema,
  /** Null: the person gives one. */
  baseUrl: z.string().nullable(),
  needsKey: z.boolean(),
  /** Environment variable that hosts read a key from. */
  keyVariable: z.string().nullable(),
  modelExamples: z.array(z.string()),
});
export type ProviderPreset = z.infer<typeof providerPresetSchema>;

/** A slot as a window sees it: never a secret. */
export const slotViewSchema = z.object({
  index: z.number().int(),
  /** Training metadata of the checkpoint, not what is called. */
  checkpointLabel: z.string(),
  binding: slotBindingSchema.nullable(),
  key: vaultItemSchema.nullable(),
  health: slotHealthSchema,
  /** What its tokens cost: set for the slot, or looked up in the dated table; null when unknown. */
  price: slotPriceSchema.extend({ asOf: z.string().nullable() }).nullable().default(null),
});
export type SlotView = z.infer<typeof slotViewSchema>;

/** Result of a slot's test, in words for a person. */
export const slotTestSchema = z.object({
  ok: z.boolean(),
  code: z.string().nullable(),
  message: z.string(),
  latencyMs: z.number(),
  models: z.array(z.string()),
});
export type SlotTest = z.infer<typeof slotTestSchema>;

/** What a slot spent in one calendar month (UTC). Calls of unknown cost are counted, never priced at 0. */
export const slotSpendingSchema = z.object({
  slot: z.number().int(),
  month: z.string().regex(/^\d{4}-\d{2}$/),
  usd: z.number(),
  calls: z.number().int(),
  unpricedCalls: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
});
export type SlotSpending = z.infer<typeof slotSpendingSchema>;

/** A host that this program has contacted, what for, and how much went each way. */
export const contactSchema = z.object({
  host: z.string(),
  purpose: z.string(),
  requests: z.number().int(),
  bytesSent: z.number().int(),
  bytesReceived: z.number().int(),
  firstAt: z.number(),
  lastAt: z.number(),
});
export type Contact = z.infer<typeof contactSchema>;

export const slotsContract = {
  presets: oc.input(z.object({})).output(z.array(providerPresetSchema)),
  list: oc.input(z.object({})).output(z.array(slotViewSchema)),
  /** Binds one slot. A key bound to another origin is dropped from the binding. */
  set: oc.input(slotBindingSchema).output(slotViewSchema),
  /** One provider for all slots. */
  setAll: oc
    .input(slotBindingSchema.omit({ index: true, name: true }))
    .output(z.array(slotViewSchema)),
  clear: oc.input(z.object({ index: z.number().int() })).output(z.object({})),
  schemes: oc
    .input(z.object({}))
    .output(z.array(z.object({ scheme: keySchemeSchema, explanation: z.string() }))),
  keys: oc.input(z.object({})).output(z.array(vaultItemSchema)),
  /** Write-only: the secret goes in and never comes out. */
  putKey: oc
    .input(
      z.object({
        secret: z.string().min(1).max(10_000),
        baseUrl: baseUrlSchema,
        scheme: keySchemeSchema,
        /** A header's value may hold spaces; a key may not. */
        kind: secretKindSchema.default('key'),
      }),
    )
    .output(vaultItemSchema),
  removeKey: oc.input(z.object({ id: z.string() })).output(z.object({})),
  /**
   * Tests a slot: by the model list where that proves the key, else by the smallest call. `call` makes
   * the call in any case, with the slot's own parameters.
   */
  test: oc
    .input(z.object({ index: z.number().int(), call: z.boolean().default(false) }))
    .output(slotTestSchema),
  /** The models that a slot's provider offers; empty where it does not say. */
  models: oc.input(z.object({ index: z.number().int() })).output(z.array(z.string())),
  export: oc.input(z.object({})).output(slotLayoutSchema),
  /** Replaces all bindings. A slot keeps its key only if its origin stays the same. */
  import: oc.input(slotLayoutSchema).output(z.array(slotViewSchema)),
  spending: oc.input(z.object({})).output(z.array(slotSpendingSchema)),
  /** What leaves this computer, by host and purpose. */
  contacts: oc.input(z.object({})).output(z.array(contactSchema)),
};
