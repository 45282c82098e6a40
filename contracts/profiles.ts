import { z } from 'zod';

/** Execution profiles of the router runtime. `cpu-f32` is the reference and the default. */
export const profileIds = [
  'cpu-f32',
  'cpu-8bit',
  'cpu-int8',
  'webgpu',
  'cuda',
  'directml',
  'coreml',
] as const;
export const profileIdSchema = z.enum(profileIds);
export type ProfileId = z.infer<typeof profileIdSchema>;

/** Numeric form of one projection: f32, 8-bit blocks, row-wise int8. */
export const precisionSchema = z.enum(['f32', 'block8', 'int8row']);
export type Precision = z.infer<typeof precisionSchema>;

/** The seven projections of a decoder layer, by their checkpoint names. */
export const projectionNames = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const;
export type ProjectionName = (typeof projectionNames)[number];

/** Precision by projection, with exceptions by layer (`26.down_proj`). Part of a profile's identity. */
export const precisionMapSchema = z.object({
  default: precisionSchema,
  projections: z.partialRecord(z.enum(projectionNames), precisionSchema).default({}),
  exceptions: z
    .record(z.string().regex(/^\d+\.(q|k|v|o|gate|up|down)_proj$/), precisionSchema)
    .default({}),
});
export type PrecisionMap = z.infer<typeof precisionMapSchema>;

/** Whether a profile can be used here, and if not, why, in a sentence. */
export const availabilitySchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('available'), tested: z.boolean() }),
  z.object({ state: z.literal('unavailable'), reason: z.string() }),
  z.object({ state: z.literal('unprobed') }),
]);
export type Availability = z.infer<typeof availabilitySchema>;
