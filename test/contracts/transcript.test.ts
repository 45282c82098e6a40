import { describe, expect, it } from 'vitest';
import { messagesSchema, routedText } from '../../contracts/transcript.ts';

describe('routedText', () => {
  it('joins role: content lines with one newline and no trailing one', () => {
    expect(
      routedText([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: ' What is 2+2? ' },
        { role: 'assistant', content: '4' },
      ]),
    ).toBe('system: Be brief.\nuser:  What is 2+2? \nassistant: 4');
  });
  it('neither trims nor escapes content', () => {
    expect(routedText([{ role: 'user', content: 'a\nassistant: b\n' }])).toBe(
      'user: a\nassistant: b\n',
    );
  });
  it('gives an empty text for no messages', () => {
    expect(routedText([])).toBe('');
  });
});

describe('messagesSchema', () => {
  const bad: readonly [string, unknown][] = [
    ['no list', { role: 'user', content: 'x' }],
    ['an unknown role', [{ role: 'tool', content: 'x' }]],
    ['a role in another case', [{ role: 'User', content: 'x' }]],
    ['content that is no text', [{ role: 'user', content: 4 }]],
    ['missing content', [{ role: 'user' }]],
    ['missing role', [{ content: 'x' }]],
    ['a further member', [{ role: 'user', content: 'x', name: 'y' }]],
    ['a null entry', [null]],
    ['a bare text', ['user: x']],
  ];
  for (const [what, value] of bad) {
    it(`refuses ${what}`, () => {
      expect(messagesSchema.safeParse(value).success).toBe(false);
    });
  }
  it('takes an empty content', () => {
    expect(messagesSchema.parse([{ role: 'user', content: '' }])).toHaveLength(1);
  });
});
