import { describe, expect, it } from 'vitest';
import { LineTokens } from '../../../model-runtime/session/line-tokens.ts';

function counted() {
  const asked: string[] = [];
  const lines = new LineTokens({
    encode: (text, mode) => {
      asked.push(`${mode} ${text.slice(0, 3)}`);
      return [text.length];
    },
  });
  return { lines, asked };
}

describe('LineTokens', () => {
  it('tokenises a line once for each reading', () => {
    const { lines, asked } = counted();
    for (const mode of ['typed', 'typed', 'plain', 'plain'] as const) {
      expect([...lines.of('abc', mode)]).toEqual([3]);
    }
    expect(asked).toEqual(['typed abc', 'plain abc']);
  });

  it('forgets the line not used for longest when it has remembered too much', () => {
    const { lines, asked } = counted();
    const line = (letter: string): string => letter.repeat(1_500_000);
    lines.of(line('a'), 'typed');
    lines.of(line('b'), 'typed');
    lines.of(line('a'), 'typed');
    lines.of(line('c'), 'typed');
    lines.of(line('a'), 'typed');
    expect(asked).toEqual(['typed aaa', 'typed bbb', 'typed ccc']);
    lines.of(line('b'), 'typed');
    expect(asked).toHaveLength(4);
  });
});
