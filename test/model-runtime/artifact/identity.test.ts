import { describe, expect, it } from 'vitest';
import { adapterRefOf, type IdentityParts } from '../../../model-runtime/artifact/identity.ts';

const digest = (letter: string) => letter.repeat(64);

const parts: IdentityParts = {
  base: {
    repo: 'Qwen/Qwen3-0.6B',
    revision: 'abc',
    files: [
      { path: 'model.safetensors', bytes: 10, sha256: digest('a') },
      { path: 'config.json', bytes: 10, sha256: digest('b') },
    ],
  },
  head: { kind: 'linear', shape: [10, 1024] },
  adaptation: { embedding: 'untied', vectorSha256: digest('c'), algorithm: 'gram-v1' },
  files: [
    { path: 'adapted.safetensors', bytes: 1, sha256: digest('d') },
    { path: 'router_head.safetensors', bytes: 1, sha256: digest('e') },
    { path: 'lm_head.safetensors', bytes: 1, sha256: digest('f') },
  ],
};

describe('adapterRefOf', () => {
  it('does not depend on names, sizes, the order of files or what routing does not read', () => {
    const same: IdentityParts = {
      ...parts,
      base: { ...parts.base, repo: 'mirror/copy', revision: 'def', files: [parts.base.files[0]!] },
      files: [...parts.files].reverse().filter(({ path }) => path !== 'lm_head.safetensors'),
    };
    expect(adapterRefOf(same)).toBe(adapterRefOf(parts));
    expect(adapterRefOf(parts)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('differs with the base, the vector, the reading, the head and every tensor file', () => {
    const others: IdentityParts[] = [
      {
        ...parts,
        base: { ...parts.base, files: [{ ...parts.base.files[0]!, sha256: digest('0') }] },
      },
      { ...parts, adaptation: { ...parts.adaptation, vectorSha256: digest('0') } },
      { ...parts, adaptation: { ...parts.adaptation, embedding: 'compounded' } },
      { ...parts, head: { kind: 'sparse', k: 128, shape: [10, 1024] } },
      { ...parts, files: [{ ...parts.files[0]!, sha256: digest('0') }, ...parts.files.slice(1)] },
      { ...parts, files: parts.files.slice(1) },
    ];
    const refs = others.map(adapterRefOf);
    expect(new Set([...refs, adapterRefOf(parts)]).size).toBe(others.length + 1);
  });
});
