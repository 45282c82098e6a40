import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueWords } from '../../contracts/issue-words.ts';

function words(schema: z.ZodType, value: unknown): string {
  return schema.safeParse(value).error!.issues.map(issueWords).join('; ');
}

describe('the words for a fault of a file', () => {
  const schema = z.object({
    base: z.object({ repo: z.string() }),
    kind: z.enum(['a', 'b']),
    version: z.literal(1),
    agent: z.union([z.number(), z.array(z.number())], 'should be a number, or a list of them'),
  });
  const good = { base: { repo: 'x' }, kind: 'a', version: 1, agent: 1 };

  it.each([
    [{ ...good, base: {} }, 'base.repo is missing'],
    [{ ...good, base: { repo: 7 } }, 'base.repo should be string, not number'],
    [{ ...good, kind: 'c' }, 'kind should be one of "a"|"b"'],
    [{ ...good, version: 2 }, 'version should be 1'],
    [{ ...good, agent: 'x' }, 'agent should be a number, or a list of them'],
    [[], 'the value should be object, not array'],
  ])('%j: %s', (value, expected) => {
    expect(words(schema, value)).toBe(expected);
  });

  it('keeps a sentence of its own behind the member', () => {
    const label = z.object({ label: z.string().refine(() => false, 'A label is short.') });
    expect(words(label, { label: '' })).toBe('label: A label is short.');
  });
});
