import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { routedText } from '../../../contracts/transcript.ts';
import { bundledTokenizerPath } from '../../../model-runtime/demo/tokenizer-file.ts';
import { RuntimeError } from '../../../model-runtime/runtime-error.ts';
import { loadTokenizer } from '../../../model-runtime/session/tokenizer.ts';
import { windowTranscript } from '../../../model-runtime/session/window.ts';
import fixture from '../../fixtures/tokenizer-ids.json' with { type: 'json' };
import { skipUnless } from '../../fixtures/skip.ts';

const tokenizer = await loadTokenizer(bundledTokenizerPath());
const cases = dataFile('router_prompt_eval_cases.json');
const snapshot = dataFile('router_prompt_eval_snapshot_cuda.json');

describe('the Qwen3 tokenizer', () => {
  it('gives the published ids of the default prompt', () => {
    const text = 'user: Select a TRINITY role for this reasoning task.';
    const ids = [872, 25, 8427, 264, 4984, 687, 3333, 3476, 369, 419, 32711, 3383, 13];
    expect(tokenizer.encode(text, 'typed')).toEqual(ids);
    expect(tokenizer.encode(text, 'plain')).toEqual(ids);
  });

  it.each(fixture.cases.map(({ text, ids }) => [text, ids] as const))(
    'agrees with another tokenizer package on %j',
    (text, ids) => {
      expect(tokenizer.encode(text, 'typed')).toEqual(ids);
      expect(tokenizer.encode(text, 'plain')).toEqual(ids);
    },
  );

  it('reads typed control tokens as text, and as tokens only when asked', () => {
    const text = 'user: a<|im_end|>\n<|im_start|>assistant <think></think> <tool_call>';
    expect(Math.max(...tokenizer.encode(text, 'typed'))).toBeLessThan(151_643);
    expect(tokenizer.encode(text, 'plain')).toContain(151_645);
  });

  it('gives no id of an added token for any typed text', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('<|im_end|>', '<|im_start|>', '<|endoftext|>', '<think>', '</tool_response>'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const ids = tokenizer.encode(pieces.join(''), 'typed');
        expect(ids.every((id) => id < 151_643)).toBe(true);
      }),
    );
  });

  it('gives a transcript the ids of its lines one after another', () => {
    const message = fc.record({
      role: fc.constantFrom('system' as const, 'user' as const, 'assistant' as const),
      content: fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })),
    });
    const mark = fc.constantFrom('\u0308 x', ' ', '\n', '.\n', '\r\n\n', '\u1161', '');
    const messages = fc.array(
      fc.oneof(message, fc.record({ role: fc.constant('user' as const), content: mark })),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(messages, (list) => {
        const lines = routedText(list);
        const apart = list.flatMap((m, i) =>
          tokenizer.encode(`${m.role}: ${m.content}${i < list.length - 1 ? '\n' : ''}`, 'typed'),
        );
        expect(apart).toEqual(tokenizer.encode(lines, 'typed'));
      }),
    );
  });

  skipUnless(
    cases !== null && snapshot !== null,
    'the reference prompts are not in ../shared/data',
  ).it('counts the tokens of the reference prompts as they were published', () => {
    const published = new Map(snapshot.cases.map((c: Counted) => [c.id, c.token_count]));
    const counted = cases.cases.map((c: Counted) => [
      c.id,
      tokenizer.encode(routedText(c.messages), 'typed').length,
    ]);
    expect(counted).toHaveLength(37);
    expect(counted).toEqual(counted.map(([id]: [string]) => [id, published.get(id)]));
  });
});

describe('a message meant to take long', () => {
  const megabyte = 1_000_000;
  it.each([
    ['stacked combining marks', `a${'\u0301\u0323'.repeat(megabyte / 2)}`],
    ['one letter', 'a'.repeat(megabyte)],
    ['one digit', '7'.repeat(megabyte)],
    ['emoji', '\u{1F600}'.repeat(megabyte / 2)],
    ['spaces', ' '.repeat(megabyte)],
    ['no spaces', 'abcdefghij漢字'.repeat(megabyte / 12)],
  ])(
    'is read within the cap on characters and the window: %s',
    (_, content) => {
      const limits = { windowTokens: 2048, messageCharacters: 16_000 };
      const { messages, report } = windowTranscript([{ role: 'user', content }], limits, (line) => {
        return tokenizer.encode(line, 'typed').length;
      });
      expect(report).toEqual({ limit: 2048, omitted: 0, cut: 1 });
      expect(tokenizer.encode(routedText(messages), 'typed').length).toBeLessThanOrEqual(2048);
    },
    60_000,
  );
});

describe('a tokenizer file', () => {
  it('that is missing, no JSON, or of another kind is refused by its path', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tokenizer-'));
    const path = join(folder, 'tokenizer.json');
    try {
      await expect(loadTokenizer(path)).rejects.toMatchObject({ code: 'file_unreadable' });
      await writeFile(path, '{"model":{"type":"BPE","vocab":[]}}');
      await expect(loadTokenizer(path)).rejects.toThrow(
        `${path} is not a byte-level BPE tokenizer: ` +
          'model.vocab should be a table of tokens; model.merges should be a list.',
      );
      for (const text of ['{', '[]', '{"model":{"type":"WordPiece"}}', '{"model":null}']) {
        await writeFile(path, text);
        const failure = loadTokenizer(path);
        await expect(failure).rejects.toBeInstanceOf(RuntimeError);
        await expect(failure).rejects.toMatchObject({
          code: 'tokenizer_invalid',
          message: expect.stringContaining(path),
        });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

interface Counted {
  readonly id: string;
  readonly token_count: number;
  readonly messages: { role: 'user'; content: string }[];
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
function dataFile(name: string): any {
  try {
    return JSON.parse(readFileSync(`../shared/data/${name}`, 'utf8'));
  } catch {
    return null;
  }
}
