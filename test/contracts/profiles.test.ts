import { describe, expect, it } from 'vitest';
import {
  exactProjections,
  isSamePrecision,
  withExact,
  type PrecisionMap,
} from '../../contracts/profiles.ts';

const mixed: PrecisionMap = {
  default: 'int8row',
  projections: { down_proj: 'f32', up_proj: 'f32' },
  exceptions: { '3.up_proj': 'block8', '4.q_proj': 'f32' },
};

describe('a precision map', () => {
  it('names the projections that are f32 in every layer', () => {
    expect(exactProjections(mixed)).toEqual(['down_proj']);
    expect(exactProjections({ default: 'f32', projections: {}, exceptions: {} })).toHaveLength(7);
  });

  it('takes projections into f32 in every layer, exceptions of single layers included', () => {
    const exact = withExact(mixed, ['up_proj', 'v_proj']);
    expect(exactProjections(exact)).toEqual(['v_proj', 'up_proj', 'down_proj']);
    expect(exact.exceptions).toEqual({ '4.q_proj': 'f32' });
    expect(mixed.exceptions).toHaveProperty('3.up_proj');
  });

  it("is the same whatever the order of its members, and is not the profile's own", () => {
    const { default: fallback, projections, exceptions } = mixed;
    const { down_proj, up_proj } = projections;
    const reordered = { exceptions, projections: { up_proj, down_proj }, default: fallback };
    expect(isSamePrecision(mixed, reordered)).toBe(true);
    expect(isSamePrecision(mixed, withExact(mixed, ['k_proj']))).toBe(false);
    expect(isSamePrecision(mixed, undefined)).toBe(false);
    expect(isSamePrecision(undefined, undefined)).toBe(true);
  });
});
