import {
  projectionNames,
  type Precision,
  type PrecisionMap,
  type ProjectionName,
} from '../../contracts/profiles.ts';

/** The numeric form of one projection: its exception, else its projection's, else the default. */
export function precisionOf(
  map: PrecisionMap,
  layer: number,
  projection: ProjectionName,
): Precision {
  return map.exceptions[`${layer}.${projection}`] ?? map.projections[projection] ?? map.default;
}

/** True when no projection of a model with so many layers is quantised: such a graph needs no cache file. */
export function isAllF32(map: PrecisionMap, layers: number): boolean {
  return Array.from({ length: layers }, (_, layer) => layer).every((layer) =>
    projectionNames.every((name) => precisionOf(map, layer, name) === 'f32'),
  );
}

/** Checkpoint name of a projection's weight, such as `model.layers.26.mlp.up_proj.weight`. */
export function projectionTensor(layer: number, projection: ProjectionName): string {
  const block = /^[qkvo]_/.test(projection) ? 'self_attn' : 'mlp';
  return `model.layers.${layer}.${block}.${projection}.weight`;
}
