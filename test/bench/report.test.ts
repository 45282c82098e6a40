import { describe, expect, it } from 'vitest';
import { isBroken, type BenchBar, type BenchRow } from '../../bench/lane.ts';
import { reportMarkdown } from '../../bench/report.ts';
import { interleaved, median, medianRatio } from '../../bench/samples.ts';

const bar: BenchBar = { name: 'warm / cold', value: 0.2, limit: 0.2, waived: null };

describe('a bar', () => {
  it('holds up to its limit and breaks above it, or when nothing was measured', () => {
    expect(isBroken(bar)).toBe(false);
    expect(isBroken({ ...bar, value: 0.2001 })).toBe(true);
    expect(isBroken({ ...bar, value: Number.NaN })).toBe(true);
  });

  it('is not judged where it says why', () => {
    expect(isBroken({ ...bar, value: 9, waived: 'another processor' })).toBe(false);
  });
});

describe('samples', () => {
  it('are taken round by round, the order turned by one each time', async () => {
    const order: string[] = [];
    const samples = await interleaved(['a', 'b', 'c'], 2, (subject) => {
      order.push(subject);
      return Promise.resolve(order.length);
    });
    expect(order).toEqual(['a', 'b', 'c', 'b', 'c', 'a']);
    expect(samples.get('a')).toEqual([1, 6]);
  });

  it('are compared by the median of the ratios of their rounds', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(medianRatio([1, 100, 3], [2, 100, 4])).toBe(0.75);
  });
});

it('is a table for each run of rows with the same columns, and one of the bars', () => {
  const rows: BenchRow[] = [
    { name: '16 tokens', values: { ms: 12.3456 } },
    { name: '32 tokens', values: { ms: 1234.5 } },
    { name: 'memory', values: { GB: 1.9 } },
  ];
  expect(reportMarkdown('router', { rows, bars: [bar] }).split('\n')).toEqual([
    '### router',
    '',
    '|  | ms |',
    '| --- | --- |',
    '| 16 tokens | 12.3 |',
    '| 32 tokens | 1235 |',
    '',
    '|  | GB |',
    '| --- | --- |',
    '| memory | 1.9 |',
    '',
    '| bar | measured | limit |  |',
    '| --- | --- | --- | --- |',
    '| warm / cold | 0.2 | <= 0.2 | holds |',
  ]);
});
