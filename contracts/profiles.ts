import { z } from 'zod';
import { canonicalJson } from './canonical-json.ts';

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

/** A map with some projections in f32 in every layer, whatever it had for them. */
export function withExact(map: PrecisionMap, exact: readonly ProjectionName[]): PrecisionMap {
  const others = Object.entries(map.exceptions).filter(([key]) => !exact.some(isOf(key)));
  const projections = { ...map.projections };
  for (const name of exact) projections[name] = 'f32';
  return { default: map.default, projections, exceptions: Object.fromEntries(others) };
}

/** The projections that a map keeps in f32 in every layer, in the order of a layer. */
export function exactProjections(map: PrecisionMap): readonly ProjectionName[] {
  const quantised = Object.entries(map.exceptions).filter(([, precision]) => precision !== 'f32');
  return projectionNames.filter(
    (name) =>
      (map.projections[name] ?? map.default) === 'f32' &&
      !quantised.some(([key]) => isOf(key)(name)),
  );
}

/** True for equal maps; undefined stands for a profile's own. */
export function isSamePrecision(a: PrecisionMap | undefined, b: PrecisionMap | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

/** Whether a key of the exceptions (`26.down_proj`) is of a projection. */
function isOf(key: string): (name: ProjectionName) => boolean {
  return (name) => key.endsWith(`.${name}`);
}

/** Whether a profile can be used here, and if not, why, in a sentence. */
export const availabilitySchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('available'), tested: z.boolean() }),
  z.object({ state: z.literal('unavailable'), reason: z.string() }),
  z.object({ state: z.literal('unprobed') }),
]);
export type Availability = z.infer<typeof availabilitySchema>;
