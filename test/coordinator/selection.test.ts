import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Selection } from '../../contracts/route.ts';
import { seededDraw } from '../../coordinator/seeded-draw.ts';
import { checkSelection, choose, chooseAmong } from '../../coordinator/selection.ts';

const argmaxOnly: Selection = { mode: 'argmax', temperature: 1, seed: null };
const sampled = (seed: number, temperature = 1): Selection => ({
  mode: 'sample',
  temperature,
  seed,
});

describe('argmax and softmax', () => {
  it('take the largest, ties to the lowest index', () => {
    expect(choose([1, 3, 3, 2], argmaxOnly, 'x')).toEqual({ index: 1, probabilities: null });
    const { index, probabilities } = choose([0, 0], { ...argmaxOnly, mode: 'softmax' }, 'x');
    expect(index).toBe(0);
    expect(probabilities).toEqual([0.5, 0.5]);
  });

  it('report probabilities of z / T', () => {
    const { probabilities } = choose(
      [Math.log(9) * 2, 0],
      { mode: 'softmax', temperature: 2, seed: null },
      'x',
    );
    expect(probabilities?.[0]).toBeCloseTo(0.9, 12);
    expect(probabilities?.[1]).toBeCloseTo(0.1, 12);
  });

  it('choose the same index for any logits', () => {
    const logits = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(
        logits,
        fc.double({ min: 0.01, max: 100, noNaN: true }),
        (values, temperature) => {
          const soft = choose(values, { mode: 'softmax', temperature, seed: null }, 'x');
          expect(soft.index).toBe(choose(values, argmaxOnly, 'x').index);
          expect(soft.probabilities?.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 9);
        },
      ),
    );
  });
});

describe('sampling', () => {
  it('gives the same choice for the same logits, seed and label', () => {
    const logits = [0.1, 0.2, 0.3, 0.4];
    const draw = (label: string) => choose(logits, sampled(42), label).index;
    expect(draw('turn 1 agent')).toBe(draw('turn 1 agent'));
  });

  it('draws independently for every turn and split', () => {
    const logits = Array.from({ length: 8 }, () => 0);
    const indices = Array.from(
      { length: 40 },
      (_, turn) => choose(logits, sampled(7), `turn ${turn} agent`).index,
    );
    expect(new Set(indices).size).toBeGreaterThan(4);
  });

  it('follows the distribution over many seeds', () => {
    const logits = [Math.log(0.7), Math.log(0.2), Math.log(0.1)];
    const counts = [0, 0, 0];
    const trials = 20_000;
    for (let seed = 0; seed < trials; seed++) {
      const { index } = choose(logits, sampled(seed), 'turn 1 role');
      counts[index] = (counts[index] ?? 0) + 1;
    }
    // Five standard deviations of a fair sampler.
    [0.7, 0.2, 0.1].forEach((p, index) => {
      const sigma = Math.sqrt(trials * p * (1 - p));
      expect(Math.abs((counts[index] ?? 0) - trials * p)).toBeLessThan(5 * sigma);
    });
  });

  it('goes to the largest as the temperature goes to zero', () => {
    for (let seed = 0; seed < 200; seed++) {
      expect(choose([1, 1.1, 0.9], sampled(seed, 1e-6), 'x').index).toBe(1);
    }
  });

  it('never chooses what has no probability', () => {
    for (let seed = 0; seed < 500; seed++) {
      expect(choose([-1e9, 0, -1e9], sampled(seed), 'x').index).toBe(1);
    }
  });
});

describe('chooseAmong', () => {
  it('chooses among the allowed and names the index of the whole list', () => {
    expect(chooseAmong([9, 1, 5], [false, true, true], argmaxOnly, 'x')).toBe(2);
    for (let seed = 0; seed < 100; seed++) {
      expect(chooseAmong([9, 1, 5], [false, true, true], sampled(seed, 10), 'x')).not.toBe(0);
    }
  });
});

describe('checkSelection', () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses a temperature of %s',
    (temperature) => {
      expect(() => checkSelection({ ...argmaxOnly, temperature }, () => 1)).toThrow(
        expect.objectContaining({ code: 'invalid_selection' }),
      );
    },
  );

  it('refuses an unknown mode and a seed that is no whole number', () => {
    const unknown = { mode: 'best' as 'argmax', temperature: 1, seed: null };
    expect(() => checkSelection(unknown, () => 1)).toThrow('"best"');
    expect(() => checkSelection(sampled(1.5), () => 1)).toThrow('1.5');
  });

  it('gives a sampling selection without a seed one, and records it', () => {
    expect(checkSelection({ mode: 'sample', temperature: 1, seed: null }, () => 77).seed).toBe(77);
    expect(checkSelection(argmaxOnly, () => 77).seed).toBeNull();
  });
});

describe('seededDraw', () => {
  it('stays in [0, 1) and gives different numbers for different labels and seeds', () => {
    const draws = Array.from({ length: 5000 }, (_, seed) => seededDraw(seed, 'x'));
    expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
    expect(new Set(draws).size).toBe(5000);
    expect(seededDraw(1, 'a')).not.toBe(seededDraw(1, 'b'));
  });

  it('fills the interval evenly', () => {
    const bins = Array.from({ length: 16 }, () => 0);
    for (let seed = 0; seed < 16_000; seed++) {
      const bin = Math.floor(seededDraw(seed, 'turn 3 agent') * 16);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    // 15 degrees of freedom: above 37.7 once in a thousand.
    expect(chiSquare).toBeLessThan(37.7);
  });
});
