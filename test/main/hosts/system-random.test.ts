import { describe, expect, it } from 'vitest';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';

describe('ids', () => {
  it('are UUIDs of version 7 that carry the time', () => {
    const id = createSystemRandom(() => 0x0123456789ab).id();
    expect(id).toMatch(/^01234567-89ab-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('sort in the order in which they were made, within a millisecond and when the clock steps back', () => {
    let now = 1_000;
    const random = createSystemRandom(() => now);
    const ids = Array.from({ length: 10_000 }, (_, index) => {
      if (index === 3_000) now = 500;
      if (index === 9_500) now = 5_000;
      return random.id();
    });
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
  });
});

describe('numbers', () => {
  it('lie in [0, 1) and fill it', () => {
    const random = createSystemRandom();
    const buckets = new Set<number>();
    for (let drawn = 0; drawn < 2_000; drawn += 1) {
      const value = random.next();
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThan(1);
      buckets.add(Math.floor(value * 16));
    }
    expect(buckets.size).toBe(16);
  });
});
