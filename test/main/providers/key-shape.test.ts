import { describe, expect, it } from 'vitest';
import { ProviderError } from '../../../main/providers/failure.ts';
import { cleanHeaderValue, cleanKey } from '../../../main/providers/key-shape.ts';

describe('a key on entry', () => {
  it.each([
    ['surrounding space', '  sk-abc  '],
    ['line breaks', 'sk-\r\nabc\n'],
    ['double quotes', '"sk-abc"'],
    ['single quotes and space', ` 'sk-abc' `],
    ['backticks', '`sk-abc`'],
    ['a Bearer prefix', 'Bearer sk-abc'],
    ['a zero-width space', '\u200bsk-abc\ufeff'],
  ])('loses %s', (_what, text) => {
    expect(cleanKey(text)).toBe('sk-abc');
  });

  it.each([
    ['nothing', ' \n ', /empty/],
    ['two words', 'my key', /space inside/],
    ['a dash that is none', 'sk–abc', /U\+2013/],
    ['an emoji', 'sk-😀', /U\+1F600/],
    ['a control character', 'sk-\u0007abc', /U\+0007/],
  ])('is refused for %s, in words', (_what, text, message) => {
    expect(() => cleanKey(text)).toThrow(ProviderError);
    expect(() => cleanKey(text)).toThrow(message);
  });

  it('is not repeated in the message that refuses it', () => {
    expect(() => cleanKey('sk-sécret-value')).toThrow(expect.not.stringContaining('cret-value'));
  });
});

describe('the value of a header on entry', () => {
  it('keeps its spaces and its scheme, and loses line breaks', () => {
    expect(cleanHeaderValue(' Basic dXNlcg== \r\n')).toBe('Basic dXNlcg==');
    expect(cleanHeaderValue('Bearer a b')).toBe('Bearer a b');
  });

  it.each(['', '  ', 'caf\u00e9', 'a\u0000b'])('is refused when it is %j', (text) => {
    expect(() => cleanHeaderValue(text)).toThrow(ProviderError);
  });
});
