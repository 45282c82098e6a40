import { z } from 'zod';
import { sha256Schema } from './hashes.ts';

/** A slot's label. Routers are passed on between people: nothing in it may steer a terminal. */
const labelSchema = z
  .string()
  .max(200)
  .refine((label) => !/\p{Cc}/u.test(label), 'A label holds no control character.');

/** A name that is shown to a person, such as that of the base. Nothing in it may steer a terminal, either. */
const shownNameSchema = z
  .string()
  .refine(
    (name) => name.length <= 500 && !/\p{Cc}/u.test(name),
    'has more than 500 characters or a control character',
  );

/** A file of a router directory or base: relative, no `..`, no drive, no backslash. */
export const manifestPathSchema = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (path) =>
      !path.startsWith('/') &&
      !/[\\:]/.test(path) &&
      !path.includes('\0') &&
      path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'),
    'A manifest path is relative and stays inside its directory.',
  );

export const fileDigestSchema = z.object({
  path: manifestPathSchema,
  bytes: z.number().int().min(0),
  sha256: sha256Schema,
});
export type FileDigest = z.infer<typeof fileDigestSchema>;

export const routerKinds = ['demo', 'built', 'imported', 'base+head'] as const;

/** How the head maps h to logits. No variant has a bias. */
export const headSpecSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('linear'), shape: z.tuple([z.number().int(), z.number().int()]) }),
  z.object({
    kind: z.literal('block-diagonal'),
    blocks: z.number().int().min(1),
    shape: z.tuple([z.number().int(), z.number().int()]),
  }),
  z.object({
    kind: z.literal('sparse'),
    k: z.number().int().min(1),
    shape: z.tuple([z.number().int(), z.number().int()]),
  }),
]);
export type HeadSpec = z.infer<typeof headSpecSchema>;

export const embeddingReadings = ['untied', 'overwritten', 'compounded'] as const;

export const adaptedTensorSchema = z.object({
  /** Checkpoint name, such as `model.layers.26.mlp.up_proj.weight`. */
  name: shownNameSchema,
  shape: z.tuple([z.number().int(), z.number().int()]),
  dtype: z.enum(['BF16', 'F32']),
  /** Half-open span of offsets in the vector. */
  offsets: z.tuple([z.number().int(), z.number().int()]),
  status: z.enum(['pending', 'complete', 'skipped']),
  /** sum(S) / sum(S (1 + d)). */
  c: z.number().nullable(),
  /** sha256 of the tensor's bytes as written (M for the embedding). */
  sha256: sha256Schema.nullable(),
  /** Of the base's matrix; the values themselves are in singular_values.safetensors, by tensor name. */
  singularValues: z
    .object({
      count: z.number().int(),
      largest: z.number(),
      smallest: z.number(),
      sum: z.number(),
      /** sha256 of the values as little-endian f64, descending. */
      sha256: sha256Schema,
    })
    .nullable(),
  /** Sum of |d| over the spans that scale the tensor. */
  offsetsL1: z.number().nullable(),
});
export type AdaptedTensor = z.infer<typeof adaptedTensorSchema>;

export const routerManifestSchema = z.object({
  format: z.literal('trinity-router'),
  version: z.literal(1),
  status: z.enum(['partial', 'complete']),
  adapterRef: sha256Schema,
  kind: z.enum(routerKinds),
  base: z.object({
    repo: shownNameSchema,
    revision: shownNameSchema,
    files: z.array(fileDigestSchema),
  }),
  agents: z.object({
    count: z.number().int().min(1).max(256),
    labels: z.array(labelSchema),
  }),
  roles: z.array(shownNameSchema),
  head: headSpecSchema,
  adaptation: z.object({
    /** Null where nothing is adapted (demo, base+head). */
    embedding: z.enum(embeddingReadings).nullable(),
    vectorSha256: sha256Schema.nullable(),
    algorithm: shownNameSchema,
    tensors: z.array(adaptedTensorSchema),
  }),
  files: z.array(fileDigestSchema),
});
export type RouterManifest = z.infer<typeof routerManifestSchema>;

/** What `models list` says of a router on disk. */
export const routerSummarySchema = z.object({
  id: z.string(),
  directory: z.string(),
  kind: z.enum(routerKinds),
  status: z.enum(['partial', 'complete', 'broken']),
  adapterRef: sha256Schema.nullable(),
  agentCount: z.number().int(),
  agentLabels: z.array(z.string()),
  bytes: z.number(),
  /** Why a broken one is broken. */
  problem: z.string().nullable(),
});
export type RouterSummary = z.infer<typeof routerSummarySchema>;
