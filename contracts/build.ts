import { z } from 'zod';
import { embeddingReadings, routerManifestSchema } from './manifest.ts';

const folder = z.string().min(1).max(4096);

/** Fields of every build: where the base is and where the router goes. Paths are absolute. */
const common = {
  /** A Qwen3 checkpoint: config.json, model.safetensors, tokenizer.json; symbolic links are followed. */
  base: folder,
  /** The router directory to make. */
  out: folder,
  /** Where the base is published; null when unknown. The published Qwen3-0.6B is known by its digest. */
  baseRepo: z.string().max(300).nullable().default(null),
  baseRevision: z.string().max(300).nullable().default(null),
  /** Replace a router that is there: built beside it and swapped in on success. */
  force: z.boolean().default(false),
  /** Folder for digests of large files and decompositions of matrices; null keeps none. */
  cacheDirectory: folder.nullable().default(null),
};

/** Builds a router from a base and an evolved vector. */
export const exportRequestSchema = z.object({
  kind: z.literal('export'),
  ...common,
  /** Router vector, safetensors or npy. */
  vector: folder,
  /** Decoder layers that the vector adapts; null is the last but one, as in the published router. */
  layers: z.array(z.number().int().min(0)).min(1).nullable().default(null),
  agents: z.number().int().min(1).max(256).default(7),
  /** Names of the agents as training metadata; null takes the published ones when there are seven. */
  labels: z.array(z.string().max(200)).nullable().default(null),
  /** How the offsets of embedding and language head are read; the base ties the two. */
  embedding: z.enum(embeddingReadings).default('untied'),
  /** Stored form of the adapted layers. */
  dtype: z.enum(['BF16', 'F32']).default('BF16'),
  /** Also write the adapted language head, which routing does not need. */
  withLmHead: z.boolean().default(false),
  /** Build this tensor only; the router stays partial. */
  onlyTensor: z.string().nullable().default(null),
  /** Check everything and say what would be built; write nothing. */
  dryRun: z.boolean().default(false),
  /** Worker threads; null is one per core, four at most. The result does not depend on it. */
  workers: z.number().int().min(1).max(64).nullable().default(null),
});
export type ExportRequest = z.output<typeof exportRequestSchema>;

/** Imports an adapted bundle in upstream's format. */
export const importRequestSchema = z.object({
  kind: z.literal('import'),
  ...common,
  /** Folder of the bundle: manifest.json with `artifact_version`, its checkpoints and its head. */
  bundle: folder,
  withLmHead: z.boolean().default(false),
});
export type ImportRequest = z.output<typeof importRequestSchema>;

/** Makes a router of an unadapted base and a head. */
export const headRequestSchema = z.object({
  kind: z.literal('base+head'),
  ...common,
  /** A safetensors file with the head's matrix [agents + 3, hidden]. */
  head: folder,
  labels: z.array(z.string().max(200)).nullable().default(null),
});
export type HeadRequest = z.output<typeof headRequestSchema>;

export const buildRequestSchema = z.discriminatedUnion('kind', [
  exportRequestSchema,
  importRequestSchema,
  headRequestSchema,
]);
export type BuildRequest = z.output<typeof buildRequestSchema>;

export const buildStages = ['digest', 'gram', 'eigen', 'combine', 'apply', 'write'] as const;
export type BuildStage = (typeof buildStages)[number];

/** A tensor as a build plans it. */
export const plannedTensorSchema = z.object({
  name: z.string(),
  shape: z.tuple([z.number().int(), z.number().int()]),
  /** Half-open span of offsets, and the sum of their sizes. */
  offsets: z.tuple([z.number().int(), z.number().int()]),
  offsetsL1: z.number().nullable(),
  /** `keep`: an earlier build has written it; `skip`: routing does not need it, or another was asked for. */
  action: z.enum(['build', 'keep', 'skip']),
});
export type PlannedTensor = z.infer<typeof plannedTensorSchema>;

/** What a build says while it runs. Times in milliseconds. */
export const buildEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('planned'),
    out: z.string(),
    tensors: z.array(plannedTensorSchema),
    resumes: z.boolean(),
  }),
  z.object({
    type: z.literal('progress'),
    /** Null while the base's files are hashed. */
    tensor: z.string().nullable(),
    stage: z.enum(buildStages),
    /** Of this stage, 0 to 1. */
    stageFraction: z.number(),
    /** Of the whole build, 0 to 1, by the arithmetic left. */
    fraction: z.number(),
    /** Null until a rate is known. */
    etaMs: z.number().nullable(),
  }),
  z.object({
    type: z.literal('tensor_finished'),
    tensor: z.string(),
    c: z.number().nullable(),
    /** Whether its decomposition was kept from an earlier build. */
    fromCache: z.boolean(),
    ms: z.number(),
  }),
  z.object({
    type: z.literal('finished'),
    ms: z.number(),
    /** Null after a dry run. */
    manifest: routerManifestSchema.nullable(),
  }),
]);
export type BuildEvent = z.infer<typeof buildEventSchema>;
