import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../contracts/canonical-json.ts';
import { messagesHash } from '../../contracts/hashes.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('canonicalJson', () => {
  it('sorts keys by UTF-16 code unit and leaves no whitespace', () => {
    expect(canonicalJson({ b: 1, a: [true, null], é: 'x', Z: {} })).toBe(
      '{"Z":{},"a":[true,null],"b":1,"é":"x"}',
    );
  });
  it('prints numbers as ECMAScript does and leaves undefined members out', () => {
    expect(canonicalJson({ a: 1e21, b: -0, c: 0.1, d: undefined })).toBe(
      '{"a":1e+21,"b":0,"c":0.1}',
    );
  });
  it('refuses numbers that JSON cannot carry', () => {
    expect(() => canonicalJson([Number.NaN])).toThrow(RangeError);
    expect(() => canonicalJson(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });
  it('reads back as the same value, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value as JsonValue);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(text);
      }),
    );
  });
});

describe('messagesHash', () => {
  it('is v1: and the sha256 of the canonical JSON of role and content', () => {
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    expect(messagesHash(messages, sha256)).toBe(`v1:${sha256('[{"content":"Hi","role":"user"}]')}`);
  });
  it('tells one message from two', () => {
    const one = [{ role: 'user' as const, content: 'a\nuser: b' }];
    const two = [
      { role: 'user' as const, content: 'a' },
      { role: 'user' as const, content: 'b' },
    ];
    expect(messagesHash(one, sha256)).not.toBe(messagesHash(two, sha256));
  });
});
