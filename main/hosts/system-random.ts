import { randomFillSync } from 'node:crypto';
import type { RandomSource } from '../../contracts/ports.ts';

/** Counter values of one millisecond: the 12 bits of `rand_a`. */
const counterLimit = 0x1000;

/**
 * Randomness of the operating system.
 *
 * `id()` gives UUIDs of version 7 (RFC 9562, 5.7) with a counter in `rand_a` (6.2, method 1): ids of one
 * source are unique and sort in the order in which they were made, also within a millisecond and when the
 * clock steps back.
 *
 * @param now milliseconds since the Unix epoch
 */
export function createSystemRandom(now: () => number = Date.now): RandomSource {
  let lastMs = -1;
  let counter = 0;
  return {
    next: () => {
      const bits = randomFillSync(new Uint32Array(2));
      return ((bits[0] ?? 0) * 2 ** 21 + ((bits[1] ?? 0) >>> 11)) / 2 ** 53;
    },
    id: () => {
      const ms = Math.floor(now());
      if (ms > lastMs) {
        lastMs = ms;
        counter = 0;
      } else if (++counter === counterLimit) {
        lastMs += 1;
        counter = 0;
      }
      return uuid7(lastMs, counter);
    },
  };
}

function uuid7(ms: number, counter: number): string {
  const bytes = randomFillSync(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(ms / 2 ** 32));
  view.setUint32(2, ms % 2 ** 32);
  view.setUint16(6, 0x7000 | counter);
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80);
  const hex = Buffer.from(bytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
