import { z } from 'zod';
import { failureSchema } from '../../contracts/failure.ts';
import { precisionMapSchema, profileIdSchema } from '../../contracts/profiles.ts';
import { routeLogitsSchema, routeRequestSchema } from '../../contracts/route.ts';

/** Where a router's files are and how it is to be run. Every path is absolute. */
export const loadSpecSchema = z.object({
  /** A router directory, or a folder that holds base and head. */
  directory: z.string().min(1),
  /** Folders in which the base may lie, the first to hold it wins. */
  baseFolders: z.array(z.string().min(1)),
  /** Folder for digests of large files and quantised weights; null keeps none. */
  cacheDirectory: z.string().min(1).nullable(),
  profile: profileIdSchema,
  /** Precision of the projections; absent means the profile's own. */
  precision: precisionMapSchema.optional(),
  /** Quantised weights of a trial lie where those of the next replace them. */
  isTrial: z.boolean().optional(),
  /** Threads of one operator; absent means the cores this machine has, four at most. */
  threads: z.number().int().min(1).max(256).optional(),
  prefixCacheBytes: z.number().int().min(0).optional(),
});
export type LoadSpec = z.infer<typeof loadSpecSchema>;

const id = z.number().int().min(0);

/** What is asked of the process. Each message with an id gets exactly one `done` or `failed`. */
export const toProcessSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('load'), id, spec: loadSpecSchema }),
  z.object({ type: z.literal('route'), id, request: routeRequestSchema }),
  /** Tokens of each text, for estimates; a router must be loaded. */
  z.object({ type: z.literal('count_tokens'), id, texts: z.array(z.string()).max(64) }),
  z.object({ type: z.literal('probe'), id, profile: profileIdSchema }),
  z.object({ type: z.literal('build_demo'), id, directory: z.string().min(1) }),
  /** Writes the quantised weights that the spec's profile reads. */
  z.object({ type: z.literal('prepare'), id, spec: loadSpecSchema }),
  /** Of the request `id`; it has no answer of its own. */
  z.object({ type: z.literal('cancel'), id }),
]);
export type ToProcess = z.infer<typeof toProcessSchema>;

export const loadedSchema = z.object({
  profile: profileIdSchema,
  adapterRef: z.string(),
  agentCount: z.number().int(),
  loadMs: z.number(),
  rssBytes: z.number(),
});
export type Loaded = z.infer<typeof loadedSchema>;

export const countedSchema = z.array(z.number().int().min(0));

export const routedSchema = z.object({ logits: routeLogitsSchema, rssBytes: z.number() });
export type Routed = z.infer<typeof routedSchema>;

/** What the process says. `ready` comes once, first. */
export const fromProcessSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('progress'),
    id,
    done: z.number().min(0),
    total: z.number().min(0),
  }),
  z.object({ type: z.literal('done'), id, result: z.unknown() }),
  z.object({ type: z.literal('failed'), id, failure: failureSchema }),
]);
export type FromProcess = z.infer<typeof fromProcessSchema>;
