import { describe, expect, it } from 'vitest';
import type { PrecisionMap } from '../../../contracts/profiles.ts';
import {
  isAllF32,
  precisionOf,
  projectionTensor,
} from '../../../model-runtime/weights/precision.ts';

const map: PrecisionMap = {
  default: 'int8row',
  projections: { down_proj: 'f32' },
  exceptions: { '26.down_proj': 'block8' },
};

describe('a precision map', () => {
  it('gives a projection its exception, else its own form, else the default', () => {
    expect(precisionOf(map, 26, 'down_proj')).toBe('block8');
    expect(precisionOf(map, 25, 'down_proj')).toBe('f32');
    expect(precisionOf(map, 26, 'up_proj')).toBe('int8row');
  });

  it('is all f32 only when no projection of the model is quantised', () => {
    const f32: PrecisionMap = { default: 'f32', projections: {}, exceptions: {} };
    const late: PrecisionMap = { ...f32, exceptions: { '27.q_proj': 'block8' } };
    expect(isAllF32(f32, 28)).toBe(true);
    expect(isAllF32(late, 28)).toBe(false);
    expect(isAllF32(late, 27)).toBe(true);
  });
});

it('names tensors as checkpoints do', () => {
  expect(projectionTensor(26, 'q_proj')).toBe('model.layers.26.self_attn.q_proj.weight');
  expect(projectionTensor(0, 'down_proj')).toBe('model.layers.0.mlp.down_proj.weight');
});
