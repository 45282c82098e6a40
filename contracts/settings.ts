import { z } from 'zod';
import { budgetsSchema } from './budgets.ts';
import { profileIdSchema } from './profiles.ts';
import { selectionSchema } from './route.ts';
import { slotBindingSchema } from './slots.ts';

/** Settings of an installation: versioned, schema-checked, written atomically with a backup. */
export const settingsSchema = z.object({
  version: z.literal(1),
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  /** Router id of `models list`, or `demo`. */
  router: z.string().min(1).default('demo'),
  profile: profileIdSchema.default('cpu-f32'),
  windowTokens: z.number().int().min(512).max(8192).default(2048),
  agents: z.enum(['rehearsal', 'slots']).default('rehearsal'),
  slots: z.array(slotBindingSchema).max(256).default([]),
  budgets: budgetsSchema.prefault({}),
  /** How a slot and a role are chosen from the logits; a sampling one without a seed draws a fresh one a run. */
  selection: selectionSchema.prefault({}),
  /** The person's own role instructions; absent means ours. */
  roleInstructions: z
    .object({
      Worker: z.string().max(20_000).optional(),
      Thinker: z.string().max(20_000).optional(),
      Verifier: z.string().max(20_000).optional(),
    })
    .default({}),
  coordinator: z
    .object({
      guardVerifier: z.boolean().default(true),
      followSuggestions: z.boolean().default(true),
      acceptWord: z.string().min(1).max(40).default('ACCEPT'),
      reviseWord: z.string().min(1).max(40).default('REVISE'),
    })
    .prefault({}),
  traces: z
    .object({
      enabled: z.boolean().default(true),
      content: z.enum(['hash', 'full']).default('hash'),
    })
    .prefault({}),
  checkForUpdates: z.boolean().default(false),
});
export type Settings = z.output<typeof settingsSchema>;
