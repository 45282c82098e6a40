import { oc } from '@orpc/contract';
import { z } from 'zod';
import { keySchemeSchema, vaultItemSchema } from '../keys.ts';
import { baseUrlSchema, slotBindingSchema, slotHealthSchema, wireFormatSchema } from '../slots.ts';

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
      }),
    )
    .output(vaultItemSchema),
  removeKey: oc.input(z.object({ id: z.string() })).output(z.object({})),
  test: oc.input(z.object({ index: z.number().int() })).output(slotTestSchema),
};
