import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bf16ToF32, f32ToBf16 } from '../../../model-runtime/weights/bf16.ts';

describe('bf16 to f32', () => {
  it('is the upper half of the f32 pattern for all 65,536 values', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const view = new DataView(bf16ToF32(all).buffer);
    const wrong = [...all].filter((bits) => view.getUint32(bits * 4, true) !== bits * 65536);
    expect(wrong).toEqual([]);
  });

  it('fills the array that it is given', () => {
    const target = new Float32Array(4).subarray(1);
    expect(bf16ToF32(Uint16Array.of(0x3f80, 0xc000), target)).toBe(target);
    expect([...target]).toEqual([1, -2, 0]);
  });
});

describe('f32 to bf16', () => {
  it('gives every bf16 value back, NaN as NaN', () => {
    const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const back = f32ToBf16(bf16ToF32(all));
    const isNaNBits = (bits: number): boolean => (bits & 0x7fff) > 0x7f80;
    const wrong = [...all].filter((bits) =>
      isNaNBits(bits) ? !isNaNBits(back[bits]!) : back[bits] !== bits,
    );
    expect(wrong).toEqual([]);
  });

  it('rounds to the nearest, a tie to the even neighbour', () => {
    const halfStep = 2 ** -8;
    const values = [
      1 + halfStep,
      1 + 3 * halfStep,
      1 + halfStep + 2 ** -20,
      1 + halfStep - 2 ** -20,
    ];
    const expected = [1, 1 + 4 * halfStep, 1 + 2 * halfStep, 1];
    expect([...bf16ToF32(f32ToBf16(Float32Array.from(values)))]).toEqual(expected);
  });

  it('agrees with rounding by arithmetic, whatever the value', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => {
        const [rounded] = bf16ToF32(f32ToBf16(Float32Array.of(value)));
        expect(Object.is(rounded, roundedByArithmetic(value))).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('keeps the sign of a NaN and never makes an infinity of it', () => {
    const signalling = new Float32Array(Uint32Array.of(0x7f800001, 0xff800001).buffer);
    const bits = f32ToBf16(signalling);
    expect([...bits].map((pattern) => pattern.toString(16))).toEqual(['7fc0', 'ffc0']);
  });
});

/** Nearest multiple of the value's bf16 step, ties to even: 8 significant bits, exponents from -126. */
function roundedByArithmetic(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value;
  const magnitude = Math.abs(value);
  let exponent = Math.floor(Math.log2(magnitude));
  if (2 ** exponent > magnitude) exponent -= 1;
  if (2 ** (exponent + 1) <= magnitude) exponent += 1;
  const step = 2 ** (Math.max(exponent, -126) - 7);
  const steps = magnitude / step;
  const below = Math.floor(steps);
  const isUp = steps - below > 0.5 || (steps - below === 0.5 && below % 2 === 1);
  const rounded = (isUp ? below + 1 : below) * step;
  const limited = rounded >= 2 ** 128 ? Infinity : rounded;
  return value < 0 ? -limited : limited;
}
