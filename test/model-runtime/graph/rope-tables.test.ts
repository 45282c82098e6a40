import { expect, it } from 'vitest';
import { ropeTables } from '../../../model-runtime/graph/rope-tables.ts';

it('turns pair i at position p by p * theta^(-2i / headDim)', () => {
  const { cos, sin } = ropeTables(3, 4, 100);
  const angles = [0, 0, 1, 0.1, 2, 0.2];
  expect([...cos]).toEqual(angles.map((angle) => Math.fround(Math.cos(angle))));
  expect([...sin]).toEqual(angles.map((angle) => Math.fround(Math.sin(angle))));
});

it('is exact to the last digit of f32 far from the start', () => {
  const { cos } = ropeTables(8192, 128, 1e6);
  expect(cos[8191 * 64]).toBe(Math.fround(Math.cos(8191)));
});
