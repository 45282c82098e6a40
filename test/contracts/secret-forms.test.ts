import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretForms } from '../../contracts/secret-forms.ts';

const long = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 });
const around = fc.string({ maxLength: 9 });
const found = (text: string, secret: string) =>
  secretForms(secret).some((form) => text.includes(form));

describe('secretForms', () => {
  it('stand in every encoding of a text around the secret', () => {
    fc.assert(
      fc.property(around, long, around, (before, secret, after) => {
        fc.pre(secret.isWellFormed());
        const text = before + secret + after;
        const base64 = Buffer.from(text).toString('base64');
        expect(found(text, secret)).toBe(true);
        expect(found(JSON.stringify(text), secret)).toBe(true);
        expect(found(JSON.stringify(JSON.stringify(text)), secret)).toBe(true);
        expect(found(encodeURIComponent(text.toWellFormed()), secret)).toBe(true);
        expect(
          found(new URLSearchParams({ q: `${secret}` }).toString(), secret) ||
            /[!'()~*]/.test(secret),
        ).toBe(true);
        expect(found(base64, secret)).toBe(true);
        expect(found(Buffer.from(text).toString('base64url'), secret)).toBe(true);
        expect(found(Buffer.from(text).toString('hex'), secret)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('are nothing for an empty secret, and no short base64 for a short one', () => {
    expect(secretForms('')).toEqual([]);
    expect(secretForms('ab')).toEqual(['6162', 'ab']);
  });

  it('begin with the longest', () => {
    const lengths = secretForms('a "key" / ü').map(({ length }) => length);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
  });
});
