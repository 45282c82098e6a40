import { describe, expect, it } from 'vitest';
import type { HeadSpec } from '../../../contracts/manifest.ts';
import { denseHead, headLayout } from '../../../model-runtime/graph/router-head.ts';

const shape: [number, number] = [10, 1024];

describe('the layout of a router head', () => {
  it('has the parameters of the published variants, less their biases', () => {
    expect(headLayout({ kind: 'linear', shape }).parameters).toBe(10_240);
    expect(headLayout({ kind: 'block-diagonal', blocks: 10, shape }).parameters).toBe(1_024);
    expect(headLayout({ kind: 'block-diagonal', blocks: 2, shape }).parameters).toBe(5_120);
    expect(headLayout({ kind: 'sparse', k: 128, shape }).parameters).toBe(1_280);
  });

  it('makes the first blocks one longer where the sizes do not divide', () => {
    const { inputs, outputs } = headLayout({ kind: 'block-diagonal', blocks: 3, shape: [5, 8] });
    expect(outputs).toEqual([
      { offset: 0, size: 2 },
      { offset: 2, size: 2 },
      { offset: 4, size: 1 },
    ]);
    expect(inputs).toEqual([
      { offset: 0, size: 3 },
      { offset: 3, size: 3 },
      { offset: 6, size: 2 },
    ]);
  });

  const refused: [what: string, spec: HeadSpec][] = [
    ['more blocks than outputs', { kind: 'block-diagonal', blocks: 6, shape: [5, 8] }],
    ['more blocks than inputs', { kind: 'block-diagonal', blocks: 9, shape: [10, 8] }],
    ['no blocks', { kind: 'block-diagonal', blocks: 0, shape: [5, 8] }],
    ['half a block', { kind: 'block-diagonal', blocks: 1.5, shape: [5, 8] }],
    ['a k beyond the inputs', { kind: 'sparse', k: 9, shape: [5, 8] }],
    ['a k of zero', { kind: 'sparse', k: 0, shape: [5, 8] }],
    ['a thousand and more outputs', { kind: 'sparse', k: 1, shape: [1025, 8] }],
    ['no outputs', { kind: 'linear', shape: [0, 8] }],
  ];
  for (const [what, spec] of refused) {
    it(`refuses ${what}`, () => {
      expect(() => headLayout(spec)).toThrow(expect.objectContaining({ code: 'bad_head' }));
    });
  }
});

describe('a head as one dense matrix', () => {
  it('puts blocks on the diagonal and zeros beside them', () => {
    const spec: HeadSpec = { kind: 'block-diagonal', blocks: 2, shape: [3, 4] };
    const dense = denseHead(spec, Float32Array.of(1, 2, 3, 4, 5, 6));
    expect([...dense]).toEqual([1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 5, 6]);
  });

  it('keeps the first k features of a sparse head', () => {
    const spec: HeadSpec = { kind: 'sparse', k: 2, shape: [2, 4] };
    expect([...denseHead(spec, Float32Array.of(1, 2, 3, 4))]).toEqual([1, 2, 0, 0, 3, 4, 0, 0]);
  });

  it('refuses another number of weights', () => {
    const spec: HeadSpec = { kind: 'linear', shape: [5, 8] };
    expect(() => denseHead(spec, new Float32Array(41))).toThrow(
      expect.objectContaining({ code: 'wrong_shape' }),
    );
  });
});
