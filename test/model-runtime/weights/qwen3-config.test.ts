import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQwen3Config } from '../../../model-runtime/weights/qwen3-config.ts';
import { WeightsError } from '../../../model-runtime/weights/weights-error.ts';

/** What Qwen/Qwen3-0.6B publishes. */
const published = {
  architectures: ['Qwen3ForCausalLM'],
  attention_bias: false,
  attention_dropout: 0.0,
  head_dim: 128,
  hidden_act: 'silu',
  hidden_size: 1024,
  intermediate_size: 3072,
  max_position_embeddings: 40960,
  max_window_layers: 28,
  model_type: 'qwen3',
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-6,
  rope_scaling: null,
  rope_theta: 1000000,
  sliding_window: null,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
  use_cache: true,
  use_sliding_window: false,
  vocab_size: 151936,
};

describe('the configuration of a Qwen3 checkpoint', () => {
  it('gives the numbers of the published model', () => {
    expect(parse(published)).toEqual({
      hiddenSize: 1024,
      layers: 28,
      queryHeads: 16,
      keyValueHeads: 8,
      headDim: 128,
      feedForwardSize: 3072,
      vocabSize: 151936,
      rmsNormEps: 1e-6,
      ropeTheta: 1000000,
      maxPositions: 40960,
      tiedEmbedding: true,
    });
  });

  it('is read in the spelling of transformers 5 too', () => {
    const { rope_theta: _theta, rope_scaling: _scaling, ...rest } = published;
    const layers = Array.from({ length: 28 }, () => 'full_attention');
    const rope = { rope_type: 'default', rope_theta: 5e6 };
    const config = parse({
      ...rest,
      rope_parameters: rope,
      layer_types: layers,
      dtype: 'bfloat16',
    });
    expect(config.ropeTheta).toBe(5e6);
  });

  const refused: [field: string, value: unknown][] = [
    ['model_type', 'qwen2'],
    ['model_type', 'qwen3_moe'],
    ['model_type', undefined],
    ['hidden_act', 'gelu'],
    ['attention_bias', true],
    ['use_sliding_window', true],
    ['rope_scaling', { type: 'yarn', factor: 4 }],
    ['rope_parameters.rope_type', 'yarn'],
    ['quantization_config', { bits: 4 }],
    ['partial_rotary_factor', 0.5],
    ['layer_types', ['full_attention', 'sliding_attention']],
    ['layer_types', 'full_attention'],
    ['hidden_size', 0],
    ['hidden_size', 65_537],
    ['hidden_size', 1024.5],
    ['hidden_size', '1024'],
    ['num_hidden_layers', 257],
    ['num_hidden_layers', -1],
    ['num_attention_heads', 0],
    ['num_key_value_heads', 3],
    ['num_key_value_heads', 32],
    ['num_key_value_heads', undefined],
    ['head_dim', 24],
    ['head_dim', 1024],
    ['head_dim', undefined],
    ['intermediate_size', 262_145],
    ['vocab_size', 1_000_001],
    ['vocab_size', null],
    ['rms_norm_eps', 0],
    ['rms_norm_eps', 'small'],
    ['rope_theta', -1],
    ['max_position_embeddings', 0],
    ['tie_word_embeddings', 'yes'],
  ];
  for (const [field, value] of refused) {
    it(`is refused by the name of ${field} = ${JSON.stringify(value)}`, () => {
      const [outer, inner] = field.split('.') as [string, string?];
      const changed = inner === undefined ? value : { rope_theta: 1e6, [inner]: value };
      expect(() => parse({ ...published, [outer]: changed })).toThrow(
        expect.objectContaining({
          code: 'unsupported_config',
          message: expect.stringContaining(`the field ${field} is`),
        }),
      );
    });
  }

  it('is refused when it is no object', () => {
    for (const json of [null, [], 'qwen3', 3]) {
      expect(() => parse(json)).toThrow(expect.objectContaining({ code: 'malformed' }));
    }
  });

  it('with any JSON in any field reads or is refused with a typed error', () => {
    const field = fc.constantFrom(...Object.keys(published), 'rope_parameters', 'layer_types');
    fc.assert(
      fc.property(fc.array(fc.tuple(field, fc.jsonValue()), { maxLength: 3 }), (changes) => {
        try {
          const config = parse({ ...published, ...Object.fromEntries(changes) });
          expect(config.queryHeads % config.keyValueHeads).toBe(0);
        } catch (error) {
          expect(error).toBeInstanceOf(WeightsError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function parse(json: unknown) {
  return parseQwen3Config(json, 'config.json');
}
