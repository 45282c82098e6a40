import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretForms } from '../../../main/providers/secret-forms.ts';

const secret = 'sk-pla"nted/+0123456789=abc';

/** Ways in which servers have been seen to repeat a key. */
const encodings: readonly (readonly [string, (text: string) => string])[] = [
  ['plain', (text) => text],
  ['base64', (text) => Buffer.from(text).toString('base64')],
  ['base64 after other bytes', (text) => Buffer.from(`Bearer ${text}`).toString('base64')],
  ['base64 between bytes', (text) => Buffer.from(`:${text}:`).toString('base64')],
  ['URL base64', (text) => Buffer.from(text).toString('base64url')],
  ['percent', (text) => encodeURIComponent(text)],
  ['JSON', (text) => JSON.stringify(text)],
  ['hex', (text) => Buffer.from(text).toString('hex')],
];

describe('secret forms', () => {
  it.each(encodings)('are found and replaced in %s', (_name, encode) => {
    const forms = new SecretForms([secret]);
    const text = `before ${encode(secret)} after`;
    expect(forms.foundIn(text)).toBe(true);
    const clean = forms.redact(text);
    expect(clean).not.toContain(secret);
    expect(clean).toContain('[secret]');
    expect(clean).toMatch(/^before .* after$/s);
  });

  it.each(encodings)('are replaced in %s however the stream is cut', (_name, encode) => {
    const text = `a ${encode(secret)} b ${encode(secret)} c`;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }), (cuts) => {
        const stream = new SecretForms([secret]).stream();
        let out = '';
        let at = 0;
        for (const size of cuts) {
          out += stream.push(text.slice(at, at + size));
          at += size;
        }
        out += stream.push(text.slice(at)) + stream.end();
        expect(new SecretForms([secret]).foundIn(out)).toBe(false);
        expect(out.match(/\[secret\]/g)).toHaveLength(2);
      }),
      { numRuns: 200 },
    );
  });

  it('leave text alone that holds none', () => {
    const forms = new SecretForms([secret]);
    const stream = forms.stream();
    expect(stream.push('The answer is four. ')).toBe('The answer is four. ');
    expect(forms.redact('sk- and more')).toBe('sk- and more');
  });

  it('give a held tail back when it was no secret after all', () => {
    const stream = new SecretForms([secret]).stream();
    expect(stream.push('see sk-pl') + stream.push('ain') + stream.end()).toBe('see sk-plain');
  });

  it('do not take short dummies for secrets', () => {
    const forms = new SecretForms(['ollama'], 12);
    expect(forms.redact('ollama runs models')).toBe('ollama runs models');
  });
});
