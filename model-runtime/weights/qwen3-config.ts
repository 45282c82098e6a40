import { openPlainFile, readExactly } from './plain-file.ts';
import { fileFault, type WeightsError } from './weights-error.ts';

const maxConfigBytes = 256 * 1024;

/** The numbers of a Qwen3 checkpoint that its graph needs. */
export interface Qwen3Config {
  readonly hiddenSize: number;
  readonly layers: number;
  readonly queryHeads: number;
  readonly keyValueHeads: number;
  readonly headDim: number;
  readonly feedForwardSize: number;
  readonly vocabSize: number;
  readonly rmsNormEps: number;
  readonly ropeTheta: number;
  /** The model's native context, in tokens. */
  readonly maxPositions: number;
  /** Whether the checkpoint stores one matrix for embedding and language head. Routing needs no language head. */
  readonly tiedEmbedding: boolean;
}

/**
 * Reads the `config.json` of a Qwen3 checkpoint.
 *
 * @throws WeightsError `unsupported_config` naming the field that is absent, out of range or asks for
 *   something this graph does not compute; `malformed`, `too_large` (over 256 KiB), `unreadable`
 */
export async function readQwen3Config(path: string): Promise<Qwen3Config> {
  const file = await openPlainFile(path);
  try {
    if (file.bytes > maxConfigBytes) {
      const reason = `it has ${file.bytes} bytes; a configuration of at most ${maxConfigBytes} is read`;
      throw fileFault('too_large', path, reason);
    }
    const bytes = new Uint8Array(file.bytes);
    await readExactly(file, path, bytes, 0);
    return parseQwen3Config(parseJson(bytes, path), path);
  } finally {
    await file.handle.close();
  }
}

/**
 * Checks a parsed `config.json`, in the spelling of transformers 4 (`rope_theta`, `rope_scaling`) or 5
 * (`rope_parameters`).
 *
 * @param path named in errors
 * @throws WeightsError `unsupported_config` naming the field
 */
export function parseQwen3Config(json: unknown, path: string): Qwen3Config {
  const fields = new ConfigFields(json, path);
  fields.requireValue('model_type', ['qwen3']);
  fields.requireValue('hidden_act', ['silu']);
  fields.allowOnly('attention_bias', [false]);
  fields.allowOnly('use_sliding_window', [false]);
  fields.allowOnly('rope_scaling', [null]);
  fields.allowOnly('quantization_config', [null]);
  fields.allowOnly('partial_rotary_factor', [null, 1]);
  fields.allowEach('layer_types', 'full_attention');
  const queryHeads = fields.whole('num_attention_heads', 1, 1024);
  const hiddenSize = fields.whole('hidden_size', 8, 65_536);
  const keyValueHeads = fields.whole('num_key_value_heads', 1, queryHeads);
  if (queryHeads % keyValueHeads !== 0) {
    throw fields.fault('num_key_value_heads', `must divide num_attention_heads (${queryHeads})`);
  }
  const headDim = fields.whole('head_dim', 16, 512);
  // ONNX Runtime's attention refuses other head sizes when it turns positions.
  if (headDim % 16 !== 0) throw fields.fault('head_dim', 'must be a multiple of 16');
  return {
    hiddenSize,
    layers: fields.whole('num_hidden_layers', 1, 256),
    queryHeads,
    keyValueHeads,
    headDim,
    feedForwardSize: fields.whole('intermediate_size', 1, 262_144),
    vocabSize: fields.whole('vocab_size', 1, 1_000_000),
    rmsNormEps: fields.positive('rms_norm_eps', 1),
    ropeTheta: readRopeTheta(fields),
    maxPositions: fields.whole('max_position_embeddings', 1, 10_000_000),
    tiedEmbedding: fields.flag('tie_word_embeddings', false),
  };
}

function readRopeTheta(fields: ConfigFields): number {
  const parameters = fields.get('rope_parameters');
  if (parameters === undefined || parameters === null) return fields.positive('rope_theta', 1e12);
  const nested = fields.nested('rope_parameters');
  nested.allowOnly('rope_type', ['default']);
  return nested.positive('rope_theta', 1e12);
}

/** Members of one JSON object, each refused by name. */
class ConfigFields {
  readonly #members: ReadonlyMap<string, unknown>;
  readonly #path: string;
  readonly #prefix: string;

  constructor(json: unknown, path: string, prefix = '') {
    if (json === null || typeof json !== 'object' || Array.isArray(json)) {
      throw fileFault('malformed', path, `${prefix || 'its content'} is no JSON object`);
    }
    this.#members = new Map(Object.entries(json));
    this.#path = path;
    this.#prefix = prefix;
  }

  get(name: string): unknown {
    return this.#members.get(name);
  }

  nested(name: string): ConfigFields {
    return new ConfigFields(this.get(name), this.#path, `${this.#prefix}${name}.`);
  }

  fault(name: string, rule: string): WeightsError {
    const shown = JSON.stringify(this.get(name))?.slice(0, 60) ?? 'absent';
    const reason = `the field ${this.#prefix}${name} is ${shown}; it ${rule}`;
    return fileFault('unsupported_config', this.#path, reason);
  }

  requireValue(name: string, allowed: readonly string[]): void {
    const value = this.get(name);
    if (typeof value !== 'string' || !allowed.includes(value)) {
      throw this.fault(name, `must be ${allowed.map((text) => `"${text}"`).join(' or ')}`);
    }
  }

  /** Absent, or one of `allowed`. */
  allowOnly(name: string, allowed: readonly unknown[]): void {
    const value = this.get(name);
    if (value !== undefined && !allowed.includes(value)) {
      throw this.fault(name, 'asks for something that this router runtime does not compute');
    }
  }

  /** Absent, null, or a list of nothing but `allowed`. */
  allowEach(name: string, allowed: string): void {
    const value = this.get(name);
    if (value === undefined || value === null) return;
    if (!Array.isArray(value) || !value.every((item) => item === allowed)) {
      throw this.fault(name, `must list nothing but "${allowed}"`);
    }
  }

  whole(name: string, least: number, most: number): number {
    const value = this.get(name);
    const isFine =
      typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
    if (!isFine) throw this.fault(name, `must be a whole number from ${least} to ${most}`);
    return value;
  }

  positive(name: string, most: number): number {
    const value = this.get(name);
    if (typeof value !== 'number' || !(value > 0) || value > most) {
      throw this.fault(name, `must be a number above 0, at most ${most}`);
    }
    return value;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.get(name) ?? fallback;
    if (typeof value !== 'boolean') throw this.fault(name, 'must be true or false');
    return value;
  }
}

function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw fileFault('malformed', path, 'it is no JSON text', error);
  }
}
