import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Qwen3Config } from '../../model-runtime/weights/qwen3-config.ts';
import { asF32, SafetensorsFile } from '../../model-runtime/weights/safetensors-file.ts';
import { writeGguf, type GgufTensor, type GgufType, type GgufValue } from './gguf.ts';

/** Rows of the embedding in a file whose language head is to cost nothing. */
export const smallVocabulary = 1024;

/** Values of a block of Q8_0, and its bytes: an f16 scale and a byte for each. */
const blockValues = 32;
const blockBytes = 2 + blockValues;

/**
 * The checkpoint of a folder as a GGUF file, converted once.
 *
 * @param vocabulary rows of the embedding to keep: llama.cpp multiplies by all of them
 */
export async function ggufOf(
  folder: string,
  config: Qwen3Config,
  type: Exclude<GgufType, 'F32'>,
  vocabulary = config.vocabSize,
): Promise<string> {
  const path = join(folder, `${type}-${vocabulary}.gguf`);
  if (existsSync(path)) return path;
  const source = await SafetensorsFile.open(join(folder, 'model.safetensors'));
  try {
    const tensors = [...source.tensors.values()].map(({ name, shape }) => {
      const [rows = 1, columns] = shape;
      if (columns === undefined) return vector(source, name, rows);
      const kept = name === 'model.embed_tokens.weight' ? vocabulary : rows;
      return matrix(source, name, type, kept, columns);
    });
    await writeGguf(`${path}.part`, metadataOf(config, vocabulary), tensors);
  } finally {
    await source.close();
  }
  await rename(`${path}.part`, path);
  return path;
}

function metadataOf(config: Qwen3Config, vocabulary: number): Record<string, GgufValue> {
  return {
    'general.architecture': { text: 'qwen3' },
    'general.name': { text: 'random router' },
    'qwen3.vocab_size': { u32: vocabulary },
    'qwen3.context_length': { u32: config.maxPositions },
    'qwen3.embedding_length': { u32: config.hiddenSize },
    'qwen3.block_count': { u32: config.layers },
    'qwen3.feed_forward_length': { u32: config.feedForwardSize },
    'qwen3.attention.head_count': { u32: config.queryHeads },
    'qwen3.attention.head_count_kv': { u32: config.keyValueHeads },
    'qwen3.attention.key_length': { u32: config.headDim },
    'qwen3.attention.value_length': { u32: config.headDim },
    'qwen3.attention.layer_norm_rms_epsilon': { f32: config.rmsNormEps },
    'qwen3.rope.freq_base': { f32: config.ropeTheta },
    // The vector of the last token.
    'qwen3.pooling_type': { u32: 3 },
    // Token ids are given, no text: llama.cpp only has to find a tokenizer of the right size.
    'tokenizer.ggml.model': { text: 'gpt2' },
    'tokenizer.ggml.pre': { text: 'qwen2' },
    'tokenizer.ggml.add_bos_token': { flag: false },
    'tokenizer.ggml.tokens': { texts: Array.from({ length: vocabulary }, (_, id) => `t${id}`) },
    'tokenizer.ggml.merges': { texts: ['t0 t1'] },
  };
}

const names: readonly (readonly [from: RegExp, to: string])[] = [
  [/^model\.embed_tokens\./, 'token_embd.'],
  [/^model\.norm\./, 'output_norm.'],
  [/^model\.layers\.(\d+)\./, 'blk.$1.'],
  [/self_attn\.q_norm\./, 'attn_q_norm.'],
  [/self_attn\.k_norm\./, 'attn_k_norm.'],
  [/self_attn\.([qkv])_proj\./, 'attn_$1.'],
  [/self_attn\.o_proj\./, 'attn_output.'],
  [/mlp\.(gate|up|down)_proj\./, 'ffn_$1.'],
  [/input_layernorm\./, 'attn_norm.'],
  [/post_attention_layernorm\./, 'ffn_norm.'],
];

function ggufName(name: string): string {
  return names.reduce((text, [from, to]) => text.replace(from, to), name);
}

function vector(source: SafetensorsFile, name: string, length: number): GgufTensor {
  const data = async function* (): AsyncGenerator<Uint8Array> {
    const values = await source.readF32(name);
    yield new Uint8Array(values.buffer);
  };
  return { name: ggufName(name), shape: [length], type: 'F32', bytes: length * 4, data };
}

function matrix(
  source: SafetensorsFile,
  name: string,
  type: Exclude<GgufType, 'F32'>,
  rows: number,
  columns: number,
): GgufTensor {
  const rowBytes = type === 'BF16' ? columns * 2 : (columns / blockValues) * blockBytes;
  const data = async function* (): AsyncGenerator<Uint8Array> {
    for (let first = 0; first < rows; first += 4096) {
      const bytes = await source.readRows(name, first, Math.min(4096, rows - first));
      yield type === 'BF16' ? bytes : quantiseQ8(asF32(bytes, 'BF16'));
    }
  };
  const shape = [columns, rows];
  return { name: ggufName(name), shape, type, bytes: rows * rowBytes, data };
}

/** ggml's Q8_0: blocks of 32, scale = max|w| / 127 as f16. */
function quantiseQ8(values: Float32Array): Uint8Array {
  const blocks = values.length / blockValues;
  const bytes = new Uint8Array(blocks * blockBytes);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < blocks; block += 1) {
    const from = block * blockValues;
    let largest = 0;
    for (let i = from; i < from + blockValues; i += 1) {
      largest = Math.max(largest, Math.abs(values[i]!));
    }
    const scale = largest / 127;
    const at = block * blockBytes;
    view.setUint16(at, f16Bits(scale), true);
    for (let i = 0; i < blockValues; i += 1) {
      view.setInt8(at + 2 + i, scale === 0 ? 0 : Math.round(values[from + i]! / scale));
    }
  }
  return bytes;
}

/** Nearest f16 of a scale that is not negative and below 65,504. */
function f16Bits(value: number): number {
  if (value === 0) return 0;
  const exponent = Math.max(Math.floor(Math.log2(value)), -14);
  const steps = Math.round((value / 2 ** exponent) * 1024);
  // 1024 steps make an exponent; a sum carries into it by itself, and a subnormal has fewer.
  return (exponent + 14) * 1024 + steps;
}
