import { z } from 'zod';
import { buildEventSchema, buildRequestSchema } from '../../contracts/build.ts';
import { failureSchema } from '../../contracts/failure.ts';
import { routerManifestSchema } from '../../contracts/manifest.ts';

/** What is asked of the build process: one build, which ends it. */
export const toBuildSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('build'), request: buildRequestSchema }),
  z.object({ type: z.literal('cancel') }),
]);

/** What the build process says: `ready` first, then events, then exactly one `done` or `failed`. */
export const fromBuildSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('event'), event: buildEventSchema }),
  z.object({ type: z.literal('done'), manifest: routerManifestSchema.nullable() }),
  z.object({ type: z.literal('failed'), failure: failureSchema }),
]);
export type FromBuild = z.infer<typeof fromBuildSchema>;
