import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyedHash, textHash, transcriptHash } from '../../coordinator/hash.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

describe('hashes', () => {
  it('are sha256 over canonical JSON, with their version', () => {
    expect(transcriptHash([{ role: 'user', content: 'é"' }])).toBe(
      `v1:${sha('[{"content":"é\\"","role":"user"}]')}`,
    );
    expect(textHash('a\n')).toBe(`v1:${sha('"a\\n"')}`);
  });

  it('of equal texts are equal, of different roles are not', () => {
    expect(transcriptHash([])).toBe(transcriptHash([]));
    expect(transcriptHash([{ role: 'user', content: 'a' }])).not.toBe(
      transcriptHash([{ role: 'system', content: 'a' }]),
    );
  });

  it('under a key depend on the key', () => {
    const key = new Uint8Array(32).fill(7);
    const plain = textHash('a');
    expect(keyedHash(plain, key)).toBe(
      `h1:${createHmac('sha256', key).update(plain).digest('hex')}`,
    );
    expect(keyedHash(plain, key)).not.toBe(keyedHash(plain, new Uint8Array(32)));
  });
});
