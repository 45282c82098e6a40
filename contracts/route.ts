import { z } from 'zod';
import { sha256Schema, textHashSchema } from './hashes.ts';
import { precisionMapSchema, profileIdSchema } from './profiles.ts';
import { roleNameSchema } from './roles.ts';
import { messagesSchema } from './transcript.ts';

/** What one asks of the router. `messages` is the routed view. */
export const routeRequestSchema = z.object({
  messages: messagesSchema,
  /** Prefix-cache key (conversation + branch). Without it nothing is read from or written to the cache. */
  cacheKey: z.string().max(200).optional(),
  cache: z.enum(['readwrite', 'read']).optional(),
  /** Token limit of the window; null reads everything (evaluations). */
  windowTokens: z.number().int().min(512).max(8192).nullable(),
  /** Characters of one message that are read; null reads everything. */
  messageCharacters: z.number().int().min(1).nullable(),
  /** `typed` disables the added tokens, so that a typed `<|im_end|>` is text. */
  tokenizer: z.enum(['typed', 'plain']).default('typed'),
});
export type RouteRequest = z.input<typeof routeRequestSchema>;

/** Defaults of a chat's routing: a 2,048-token window, 16,000 characters of each message. */
export const chatRouteDefaults = {
  windowTokens: 2048,
  messageCharacters: 16_000,
  tokenizer: 'typed',
} as const;

/** What the window left out: whole messages, and messages cut in the middle. */
export const windowReportSchema = z.object({
  limit: z.number().int().nullable(),
  omitted: z.number().int(),
  cut: z.number().int(),
});

/** Milliseconds spent by one route. */
export const routeTimingsSchema = z.object({
  queueMs: z.number(),
  tokenizeMs: z.number(),
  runMs: z.number(),
  totalMs: z.number(),
  chunks: z.number().int(),
});

/** The small result that leaves the runtime: logits and where they come from, never the hidden vector. */
export const routeLogitsSchema = z.object({
  agentLogits: z.array(z.number()),
  roleLogits: z.array(z.number()),
  tokenCount: z.number().int(),
  /** n - 2, or 0 for a single token. */
  hiddenIndex: z.number().int(),
  window: windowReportSchema,
  reusedTokens: z.number().int(),
  timings: routeTimingsSchema,
  profile: profileIdSchema,
  /** The map that a calibration put in the place of the profile's own; absent where that one was used. */
  precision: precisionMapSchema.optional(),
  adapterRef: sha256Schema,
  graphVersion: z.number().int(),
  tokenizer: z.enum(['typed', 'plain']),
  routedHash: textHashSchema,
});
export type RouteLogits = z.infer<typeof routeLogitsSchema>;

export const selectionModes = ['argmax', 'softmax', 'sample'] as const;
/** How the raw choice is made. softmax chooses like argmax and reports probabilities. */
export const selectionSchema = z.object({
  mode: z.enum(selectionModes).default('argmax'),
  temperature: z.number().positive().default(1),
  seed: z.number().int().nullable().default(null),
});
export type Selection = z.infer<typeof selectionSchema>;

/**
 * Why a slot may not be called in this turn: switched off or unbound, in trouble with its provider, at
 * its spending cap, as many calls in flight as it may have, or failed earlier in the turn.
 */
export const maskCauses = ['disabled', 'unhealthy', 'budget', 'busy', 'failed'] as const;
export type MaskCause = (typeof maskCauses)[number];

export const slotReasonSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('router') }),
  z.object({ kind: z.literal('pin') }),
  z.object({
    kind: z.literal('mask'),
    over: z.enum(['router', 'pin']),
    cause: z.enum(maskCauses),
  }),
]);
export const roleReasonSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('router') }),
  z.object({ kind: z.literal('pin') }),
  /** A Thinker's suggestion of the turn named. */
  z.object({ kind: z.literal('suggestion'), turn: z.number().int() }),
  /** The Verifier guard: nothing to verify yet. `over` says what it overruled. */
  z.object({ kind: z.literal('guard'), over: z.enum(['router', 'pin', 'suggestion']) }),
]);

/** The coordinator's decision: the raw choice of the logits, the effective one, and why they differ. */
export const routeDecisionSchema = routeLogitsSchema.extend({
  /** Over the routed messages before the window. */
  transcriptHash: textHashSchema,
  slot: z.object({
    raw: z.number().int(),
    effective: z.number().int(),
    reason: slotReasonSchema,
  }),
  role: z.object({
    raw: roleNameSchema,
    effective: roleNameSchema,
    reason: roleReasonSchema,
  }),
  /** Over all raw logits. */
  agentMargin: z.number().nullable(),
  roleMargin: z.number().nullable(),
  /** Agent margin over the slots left after masking; null when nothing was masked. */
  maskedMargin: z.number().nullable(),
  selection: selectionSchema,
  /** Present for the modes softmax and sample. */
  agentProbabilities: z.array(z.number()).nullable(),
  roleProbabilities: z.array(z.number()).nullable(),
});
export type RouteDecision = z.infer<typeof routeDecisionSchema>;
