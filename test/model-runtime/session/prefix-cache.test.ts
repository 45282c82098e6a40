import { describe, expect, it } from 'vitest';
import {
  PrefixCache,
  commonPrefix,
  truncatedState,
  type PrefixState,
} from '../../../model-runtime/session/prefix-cache.ts';

/** One layer, two heads, head dimension 2: 32 bytes a token, every number telling head, token and place. */
function state(tokens: number): PrefixState {
  const rows = (offset: number) =>
    Float32Array.from(
      [0, 1]
        .flatMap((head) =>
          Array.from({ length: tokens }, (_, t) =>
            [0, 1].map((d) => offset + head * 1000 + t * 10 + d),
          ),
        )
        .flat(),
    );
  return {
    ids: Array.from({ length: tokens }, (_, t) => t),
    layers: [{ key: rows(0), value: rows(100_000) }],
  };
}

describe('PrefixCache', () => {
  it('drops the least recently used state when the bytes exceed the bound', () => {
    const cache = new PrefixCache(32 * 10);
    cache.set('a', state(4));
    cache.set('b', state(4));
    expect(cache.get('a')).toBeDefined();
    cache.set('c', state(4));
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBeDefined();
    expect(cache.get('c')).toBeDefined();
    expect(cache.bytes).toBe(32 * 8);
  });

  it('does not keep a state larger than the bound, and forgets the one it replaces', () => {
    const cache = new PrefixCache(32 * 10);
    cache.set('a', state(4));
    cache.set('a', state(11));
    expect(cache.get('a')).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });

  it('counts a replaced state once', () => {
    const cache = new PrefixCache();
    cache.set('a', state(4));
    cache.set('a', state(6));
    expect(cache.bytes).toBe(32 * 6);
    cache.clear();
    expect(cache.bytes).toBe(0);
  });
});

describe('commonPrefix', () => {
  it('counts equal ids from the start', () => {
    expect(commonPrefix([], [1])).toBe(0);
    expect(commonPrefix([1, 2, 3], [1, 2])).toBe(2);
    expect(commonPrefix([1, 2, 3], [1, 9, 3])).toBe(1);
    expect(commonPrefix([1, 2], [1, 2])).toBe(2);
  });
});

describe('truncatedState', () => {
  it('keeps the first rows of every head', () => {
    const { ids, layers } = truncatedState(state(3), 2, 2);
    expect(ids).toEqual([0, 1]);
    expect([...layers[0]!.key]).toEqual([0, 1, 10, 11, 1000, 1001, 1010, 1011]);
    expect([...layers[0]!.value].slice(0, 2)).toEqual([100_000, 100_001]);
  });

  it('gives the state itself when nothing is cut', () => {
    const whole = state(3);
    expect(truncatedState(whole, 2, 3)).toBe(whole);
  });
});
