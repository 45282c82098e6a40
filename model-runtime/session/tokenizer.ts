import { readFile, stat } from 'node:fs/promises';
import { Tokenizer } from '@huggingface/tokenizers';
import { z } from 'zod';
import { issueWords } from '../../contracts/issue-words.ts';
import { RuntimeError, toRuntimeError } from '../runtime-error.ts';

/** `typed`: added tokens are plain text. `plain`: the tokenizer as its file describes it. */
export type TokenizerMode = 'typed' | 'plain';

/** Token ids of texts, in one of two readings of the same `tokenizer.json`. */
export interface RouterTokenizer {
  /**
   * Ids of a text, no special tokens added. In mode `typed` a written `<|im_end|>` is tokenised as the
   * characters it is made of; for a text without added tokens both modes give the same ids.
   */
  encode(text: string, mode: TokenizerMode): number[];
}

/** Largest `tokenizer.json` read; Qwen3's has 11.4 MB. */
const fileLimit = 64 * 1024 * 1024;

/** The parts looked at here. The tables have 150,000 entries each: they are not copied to be checked. */
const tokenizerFileSchema = z.looseObject({
  model: z.looseObject({
    type: z.literal('BPE'),
    vocab: z.custom<object>(
      (value) => isObject(value) && Object.keys(value).length > 0,
      'should be a table of tokens',
    ),
    merges: z.custom<readonly unknown[]>((value) => Array.isArray(value), 'should be a list'),
  }),
  added_tokens: z.array(z.looseObject({ id: z.number().int(), content: z.string() })).default([]),
});

/**
 * Reads a Hugging Face `tokenizer.json` with a byte-level BPE model, such as Qwen3's.
 *
 * @throws RuntimeError `file_unreadable`, or `tokenizer_invalid` naming the file and the fault
 */
export async function loadTokenizer(path: string): Promise<RouterTokenizer> {
  return tokenizerOf(await readTokenizerFile(path), path);
}

/**
 * The tokenizer of a parsed `tokenizer.json`. The `plain` reading is built when it is first asked for:
 * routing uses `typed`, and each costs about 100 MB.
 */
export function tokenizerOf(file: unknown, path: string): RouterTokenizer {
  const parsed = tokenizerFileSchema.safeParse(file);
  if (!parsed.success) {
    const faults = parsed.error.issues.slice(0, 3).map(issueWords).join('; ');
    throw new RuntimeError(
      'tokenizer_invalid',
      `${path} is not a byte-level BPE tokenizer: ${faults}.`,
    );
  }
  const typed = build({ ...parsed.data, added_tokens: [] }, path);
  let plain: Tokenizer | undefined;
  return {
    encode(text, mode) {
      if (mode === 'typed') return idsOf(typed, text);
      plain ??= build(parsed.data, path);
      return idsOf(plain, text);
    },
  };
}

function idsOf(tokenizer: Tokenizer, text: string): number[] {
  return text === '' ? [] : tokenizer.encode(text, { add_special_tokens: false }).ids;
}

function build(file: object, path: string): Tokenizer {
  try {
    return new Tokenizer(file, {});
  } catch (error) {
    throw toRuntimeError(error, 'tokenizer_invalid', `${path} cannot be used as a tokenizer.`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readTokenizerFile(path: string): Promise<unknown> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > fileLimit) {
      throw new RuntimeError('tokenizer_invalid', `${path} has ${size} bytes: too large to read.`);
    }
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw toRuntimeError(error, 'file_unreadable', `The tokenizer ${path} cannot be read.`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw toRuntimeError(error, 'tokenizer_invalid', `${path} is not JSON.`);
  }
}
