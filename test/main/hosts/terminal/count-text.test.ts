import { expect, it } from 'vitest';
import { countText } from '../../../../main/hosts/terminal/count-text.ts';
import { reportText } from '../../../../main/hosts/terminal/trace-text.ts';
import type { TraceReport } from '../../../../main/traces/verify.ts';

it('counts one of a thing in the singular, and none or more in the plural', () => {
  expect([0, 1, 2].map((count) => countText(count, 'turn'))).toEqual([
    '0 turns',
    '1 turn',
    '2 turns',
  ]);
});

it('is how the report of a trace counts', () => {
  const report: TraceReport = {
    runId: 'r',
    content: 'hash',
    lines: 10,
    turns: 1,
    decisions: 1,
    unknown: 1,
    hasEnded: true,
    isTorn: false,
    problems: [{ line: 2, check: 'chain', message: 'prev is not the hash of the line before' }],
  };
  const style = { columns: 80, colour: false, unicode: true, canRedraw: false };
  expect(reportText(report, style).split('\n')).toEqual([
    'run r: 10 lines, 1 turn, 1 decision, hashes only',
    '1 line of a type unknown to this version',
    'line 2, chain: prev is not the hash of the line before',
    '1 problem',
    '',
  ]);
});
