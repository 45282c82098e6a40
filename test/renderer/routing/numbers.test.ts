import { describe, expect, it } from 'vitest';
import {
  bytesText,
  costText,
  durationText,
  logitText,
  percentText,
  shortHash,
} from '../../../renderer/routing/numbers.ts';

describe('numbers for people', () => {
  it('writes logits with two decimals and a real minus sign', () => {
    expect([30.204, -1.2, -0.001, null, Number.NaN].map(logitText)).toEqual([
      '30.20',
      '−1.20',
      '0.00',
      '–',
      '–',
    ]);
  });

  it('never rounds a share to a 0 or a 100 that it is not', () => {
    expect([0, 0.0004, 0.034, 0.5, 0.998, 0.9996, 1].map(percentText)).toEqual([
      '0 %',
      '<0.1 %',
      '3.4 %',
      '50 %',
      '99.8 %',
      '>99.9 %',
      '100 %',
    ]);
  });

  it('never shows an unknown price as 0', () => {
    expect([null, 0, 0.0012, 1.5].map(costText)).toEqual(['unknown', '$0', '$0.0012', '$1.50']);
  });

  it('chooses a unit of time that can be read', () => {
    expect([null, 0.2, 181.6, 1_240, 119_800, 125_000].map(durationText)).toEqual([
      '–',
      '<1 ms',
      '182 ms',
      '1.2 s',
      '2 min 0 s',
      '2 min 5 s',
    ]);
  });

  it('shortens hashes without their version, and sizes to three digits', () => {
    expect(shortHash(`v1:${'ab'.repeat(32)}`)).toBe('abababababab');
    expect([0, 900, 4_200, 21_400_000, 1_503_300_328].map(bytesText)).toEqual([
      '0 B',
      '900 B',
      '4 kB',
      '21 MB',
      '1.5 GB',
    ]);
  });
});
