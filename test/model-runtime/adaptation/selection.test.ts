import { describe, expect, it } from 'vitest';
import { offsetCount, selectTensors } from '../../../model-runtime/adaptation/selection.ts';
import type { TensorEntry } from '../../../model-runtime/weights/safetensors-header.ts';

function entries(
  list: readonly (readonly [
    name: string,
    shape: readonly number[],
    dtype?: TensorEntry['dtype'],
  ])[],
): ReadonlyMap<string, TensorEntry> {
  return new Map(
    list.map(([name, shape, dtype = 'BF16']) => [name, { name, shape, dtype, start: 0, end: 0 }]),
  );
}

const layerShapes = [
  ['mlp.down_proj', [1024, 3072]],
  ['mlp.gate_proj', [3072, 1024]],
  ['mlp.up_proj', [3072, 1024]],
  ['self_attn.k_proj', [1024, 1024]],
  ['self_attn.o_proj', [1024, 2048]],
  ['self_attn.q_proj', [2048, 1024]],
  ['self_attn.v_proj', [1024, 1024]],
  ['input_layernorm', [1024]],
  ['self_attn.q_norm', [128]],
] as const;

function qwen3(layers: number, more: Parameters<typeof entries>[0] = []) {
  const blocks = Array.from({ length: layers }, (_, layer) =>
    layerShapes.map(([part, shape]) => [`model.layers.${layer}.${part}.weight`, shape] as const),
  );
  return entries([
    ...more,
    ...blocks.flat(),
    ['model.embed_tokens.weight', [151_936, 1024]],
    ['model.norm.weight', [1024]],
  ]);
}

const published = [
  ['model.embed_tokens.weight', 0, 1024],
  ['model.layers.26.self_attn.q_proj.weight', 1024, 2048],
  ['model.layers.26.self_attn.k_proj.weight', 2048, 3072],
  ['model.layers.26.self_attn.v_proj.weight', 3072, 4096],
  ['model.layers.26.self_attn.o_proj.weight', 4096, 5120],
  ['model.layers.26.mlp.gate_proj.weight', 5120, 6144],
  ['model.layers.26.mlp.up_proj.weight', 6144, 7168],
  ['model.layers.26.mlp.down_proj.weight', 7168, 8192],
  ['lm_head.weight', 8192, 9216],
];

describe('the selection of tensors', () => {
  it('finds the nine of Qwen3-0.6B in the order and with the spans of the published vector', () => {
    const stored = qwen3(28, [['lm_head.weight', [151_936, 1024]]]);
    const selection = selectTensors(stored, [26], true);
    expect(selection.map(({ name, offsets }) => [name, ...offsets])).toEqual(published);
    expect(offsetCount(selection)).toBe(9216);
  });

  it('lets a tied language head that is not stored take its span from the embedding', () => {
    const selection = selectTensors(qwen3(28), [26], true);
    expect(selection.map(({ name, offsets }) => [name, ...offsets])).toEqual(published);
    expect(selection.at(-1)).toMatchObject({
      part: 'lm_head',
      storedAs: 'model.embed_tokens.weight',
      rows: 151_936,
    });
  });

  it('takes several layers in their order, whatever order they are listed in', () => {
    const selection = selectTensors(qwen3(12), [10, 2], true);
    const layers = selection.slice(1, -1).map(({ name }) => name.split('.')[2]);
    expect(layers).toEqual([...Array(7).fill('2'), ...Array(7).fill('10')]);
  });

  it('does not take layer 2 for layer 26', () => {
    expect(selectTensors(qwen3(28), [2], true).some(({ name }) => name.includes('.26.'))).toBe(
      false,
    );
  });

  it('leaves matrices with a side of one alone', () => {
    const stored = qwen3(2, [['model.layers.1.gate.weight', [1, 64]]]);
    expect(selectTensors(stored, [1], true)).toHaveLength(9);
  });

  it.each([
    ['no embedding', entries([['lm_head.weight', [8, 4]]]), [0], 'missing_tensor', 'embed_tokens'],
    [
      'a layer that is not there',
      qwen3(4),
      [26],
      'missing_tensor',
      'no layer 26: it has 4 layers, 0 to 3',
    ],
    [
      'a layer without matrices',
      entries([
        ...[...qwen3(1).values()].map(({ name, shape }) => [name, shape] as const),
        ['model.layers.2.mlp.up_proj.weight', [4, 4]],
      ]),
      [1],
      'missing_tensor',
      'model.layers.1.*',
    ],
    [
      'weights of another type',
      qwen3(2, [['model.layers.1.x.weight', [4, 4], 'F16']]),
      [1],
      'wrong_dtype',
      'F16',
    ],
    [
      'a tensor of rank 3',
      qwen3(2, [['model.layers.1.x.weight', [4, 4, 4]]]),
      [1],
      'wrong_shape',
      '[4,4,4]',
    ],
    [
      'a matrix outside the blocks that Qwen3 does not have',
      qwen3(2, [['model.vision.weight', [4, 4]]]),
      [1],
      'span_mismatch',
      'model.vision.weight',
    ],
  ])('refuses a base with %s', (_, stored, layers, code, text) => {
    expect(() => selectTensors(stored, layers, true)).toThrowError(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });

  it('refuses a base without a language head that is not tied', () => {
    expect(() => selectTensors(qwen3(2), [1], false)).toThrowError(
      expect.objectContaining({ code: 'missing_tensor' }),
    );
  });
});
