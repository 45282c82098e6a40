import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createThinkSplitter } from '../../../../main/providers/wire/think-tags.ts';

function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const splitter = createThinkSplitter();
  const out = { text: '', reasoning: '' };
  for (const { type, text } of [
    ...pieces.flatMap((piece) => splitter.push(piece)),
    ...splitter.end(),
  ]) {
    out[type] += text;
  }
  return out;
}

describe('the think splitter', () => {
  it.each([
    ['no tags', 'plain text', 'plain text', ''],
    ['a leading thought', '<think>a</think>\n\nb', 'b', 'a'],
    ['another name and case', '<Thinking>a</THINKING>b', 'b', 'a'],
    ['two thoughts', '<think>a</think>b<think>c</think>d', 'bd', 'ac'],
    ['a thought that never closes', '<think>all of it', '', 'all of it'],
    ['an empty thought', '<think></think>b', 'b', ''],
    ['a tag in inline code', 'use `<think>` here', 'use `<think>` here', ''],
    ['a tag in a fence', '```\n<think>\n```\nafter', '```\n<think>\n```\nafter', ''],
    ['a lone backtick', 'a ` b\n\n<think>c</think>d', 'a ` b\n\nd', 'c'],
    ['a look-alike', 'a <thinker> b < c', 'a <thinker> b < c', ''],
    ['letters whose lower case is longer', 'İİ<think>İ</think>b', 'İİb', 'İ'],
    ['a closing tag alone', 'a</think>b', 'a</think>b', ''],
  ])('sorts %s', (_what, whole, text, reasoning) => {
    expect(split([whole])).toEqual({ text, reasoning });
    expect(split([...whole])).toEqual({ text, reasoning });
  });

  it('sorts the same however the text is cut, and loses nothing but tags', () => {
    const word = fc.constantFrom(
      '<think>',
      '</think>',
      '<reasoning>',
      '</reasoning>',
      '`',
      '``',
      '```',
      '\n',
      '\n\n',
      'a',
      'b ',
      '<',
      '/',
      'think>',
      '😀',
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 24 }),
        fc.array(fc.nat(8), { maxLength: 60 }),
        (words, cuts) => {
          const whole = words.join('');
          const pieces: string[] = [];
          let at = 0;
          for (const size of cuts) {
            pieces.push(whole.slice(at, at + size));
            at += size;
          }
          pieces.push(whole.slice(at));
          expect(split(pieces)).toEqual(split([whole]));
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('takes time in proportion to its text, whatever that holds', () => {
    // Quadratic behaviour would take hours here.
    for (const word of ['<think></think>', '`', '` ', '<', '``\n', '<think>']) {
      const whole = word.repeat(300_000);
      const { text, reasoning } = split([whole]);
      expect(text.length + reasoning.length).toBeLessThanOrEqual(whole.length);
    }
  });

  it('lets a run of backticks go on that never ends, piece by piece', () => {
    const splitter = createThinkSplitter();
    let shown = 0;
    // Held back to its end, the run would be scanned again for every piece: hours.
    for (let piece = 0; piece < 300_000; piece += 1) {
      for (const { text } of splitter.push('`')) shown += text.length;
    }
    expect(shown).toBeGreaterThan(299_000);
  });

  it('gives ordinary text out at once', () => {
    const splitter = createThinkSplitter();
    expect(splitter.push('Hello there')).toEqual([{ type: 'text', text: 'Hello there' }]);
  });
});
