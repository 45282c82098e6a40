import { describe, expect, it } from 'vitest';
import { calibrate } from '../../../main/evals/calibration.ts';
import { SidesFold } from '../../../main/evals/compared-sides.ts';
import { comparisonReport } from '../../../main/evals/reports/comparison-html.ts';
import { compareCase, ComparisonFold, type Comparison } from '../../../main/evals/comparison.ts';
import type { ComparableCase } from '../../../main/evals/result-source.ts';
import { margin } from '../../../contracts/logits.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { hasReference, noReference, rawSnapshot } from './reference-fixture.ts';

function entry(id: string, agentLogits: number[], roleLogits: number[]): ComparableCase {
  return {
    id,
    agentLogits,
    roleLogits,
    agentId: agentLogits.indexOf(Math.max(...agentLogits)),
    roleId: roleLogits.indexOf(Math.max(...roleLogits)),
    agentMargin: margin(agentLogits) ?? 0,
    roleMargin: margin(roleLogits) ?? 0,
    tokenCount: 10,
    upstreamTranscriptHash: 'a'.repeat(64),
    expected: {},
    tags: [],
  };
}

function compare(
  pairs: readonly (readonly [ComparableCase | null, ComparableCase | null])[],
  decimals: number | null = null,
): Comparison {
  const fold = new ComparisonFold();
  for (const [left, right] of pairs) {
    fold.add(compareCase((left ?? right)!.id, left, right, decimals));
  }
  return fold.result();
}

const a = entry('a', [4, 1, 0], [1, 3, 0]);
const b = entry('b', [0, 2, 1], [5, 3, 0]);

describe('comparison', () => {
  it('calls equal logits identical', () => {
    expect(
      compare([
        [a, a],
        [b, b],
      ]),
    ).toMatchObject({ verdict: 'identical', same: 2, maxDrift: 0 });
  });
  it('sees a difference in the last bit, and not after rounding to a snapshot', () => {
    const near = { ...a, agentLogits: [4 + 2 ** -40, 1, 0] };
    expect(compare([[a, near]]).verdict).toBe('stable');
    expect(compare([[a, near]], 6).verdict).toBe('identical');
  });
  it('names the first broken invariant in the order transcript, tokens, slot, role', () => {
    const role = { ...a, roleId: 2 };
    const slot = { ...b, agentId: 2 };
    const tokens = { ...b, tokenCount: 11, agentId: 2 };
    const transcript = { ...a, upstreamTranscriptHash: 'b'.repeat(64) };
    expect(
      compare([
        [a, role],
        [b, slot],
      ]).firstBroken,
    ).toEqual({ invariant: 'agent', caseId: 'b' });
    expect(
      compare([
        [a, role],
        [b, tokens],
      ]).firstBroken,
    ).toEqual({
      invariant: 'token_count',
      caseId: 'b',
    });
    expect(
      compare([
        [b, tokens],
        [a, transcript],
      ]).firstBroken,
    ).toEqual({
      invariant: 'transcript',
      caseId: 'a',
    });
  });
  it('calls another number of slots or roles broken, whatever is chosen', () => {
    const slots = entry('a', [4, 1, 0, -1], [1, 3, 0]);
    const roles = entry('a', [4, 1, 0], [1, 3]);
    const moved = entry('a', [4, 1, 0, 1], [3, 0].reverse());
    for (const other of [slots, roles, moved]) {
      expect(compare([[a, other]])).toMatchObject({
        verdict: 'broken',
        mismatched: 1,
        firstBroken: { invariant: 'logit_count', caseId: 'a' },
      });
      expect(compareCase('a', a, other, null).drift).toBeNull();
    }
  });
  it('does not call cases identical whose logits nobody has', () => {
    const bare = { ...a, agentLogits: [], roleLogits: [] };
    expect(compare([[bare, bare]]).verdict).toBe('stable');
  });
  it('calls a case that one side lacks broken', () => {
    expect(
      compare([
        [a, a],
        [b, null],
      ]),
    ).toMatchObject({
      verdict: 'broken',
      missingRight: 1,
      firstBroken: { invariant: 'case', caseId: 'b' },
    });
  });
  it('reports margin changes and drift', () => {
    const moved = entry('a', [4.5, 0.5, 0], [1, 3, 0]);
    const single = compareCase('a', a, moved, null);
    expect(single.agentMarginChange).toBe(1);
    expect(single.drift?.max).toBe(0.5);
    expect(single.drift?.rms).toBeCloseTo(Math.sqrt((0.25 + 0.25) / 6), 12);
  });

  skipUnless(hasReference, noReference).it(
    'calls a drift of 0.4 on every logit decision-stable',
    () => {
      const pairs = rawSnapshot().map((raw) => {
        const left = entry(raw.id, raw.agent_logits_rounded, raw.role_logits_rounded);
        const shift = (values: number[]): number[] => values.map((value) => value + 0.4);
        return [
          left,
          entry(raw.id, shift(left.agentLogits as number[]), shift(left.roleLogits as number[])),
        ] as const;
      });
      const result = compare(pairs, 6);
      expect(result).toMatchObject({ verdict: 'stable', flipped: 0, same: 37 });
      expect(result.maxDrift).toBeCloseTo(0.4, 5);
    },
  );
});

describe('the sides of a comparison', () => {
  const expecting = { ...a, expected: { agentIds: [0], roleIds: [2] }, tags: ['maths'] };
  const fold = (pairs: readonly (readonly [ComparableCase, ComparableCase])[]) => {
    const sides = new SidesFold();
    for (const [left, right] of pairs) sides.add(compareCase(left.id, left, right, null));
    return sides.result();
  };

  it('count the choices of the left against those of the right', () => {
    const flipped = entry('a', [1, 4, 0], [1, 3, 0]);
    expect(
      fold([
        [a, flipped],
        [b, b],
      ]),
    ).toMatchObject({ agents: { 0: { 1: 1 }, 1: { 1: 1 } }, roles: { 0: { 0: 1 }, 1: { 1: 1 } } });
  });
  it('give accuracy by tag, confusion and curve of each, in a form that JSON keeps', () => {
    const { left } = fold([[expecting, expecting]]);
    expect(JSON.parse(JSON.stringify(left))).toMatchObject({
      tags: [{ tag: 'maths', asserted: 1, right: 0 }],
      agentConfusion: { 0: { 0: 1 } },
      roleConfusion: { 2: { 1: 1 } },
      agentMargins: [{ from: 0, to: 3, count: 1 }],
      agentAccuracyByMargin: [{ margin: 3, accuracy: 1, coverage: 1 }],
      roleAccuracyByMargin: [{ margin: 2, accuracy: 0, coverage: 1 }],
    });
  });
  it('lend a snapshot, which expects nothing, the expectations of the other side', () => {
    const { right } = fold([[expecting, a]]);
    expect(right.tags).toEqual([{ tag: 'maths', asserted: 1, right: 0 }]);
  });
});

describe('comparisonReport', () => {
  it('is one page without script or outside reference, whatever ids hold', () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const sides = new SidesFold();
    const source = { path: hostile, header: null, decimals: 6, isComplete: true } as const;
    const none = { ids: () => [], has: () => false, get: async () => null, close: async () => {} };
    const flipped = compareCase(hostile, a, { ...a, agentId: 1 }, null);
    sides.add(flipped);
    const html = comparisonReport({
      left: { ...source, ...none },
      right: { ...source, ...none },
      result: compare([[a, { ...a, agentId: 1 }]]),
      sides: sides.result(),
      differing: [flipped],
      moreCases: 2,
    });
    expect(html).not.toMatch(/<img|<script|https?:|url\(/);
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
    expect(html).toContain('and 2 more');
  });
});

describe('calibrate', () => {
  const judge = (
    pairs: readonly (readonly [ComparableCase, ComparableCase])[],
    floors = null as null | { agent: number; role: number },
  ) =>
    calibrate(
      pairs.map(([left, right]) => compareCase(left.id, left, right, null)),
      floors,
    );

  it('sets floors at 80 % of the worst agreeing margins', () => {
    const result = judge([
      [a, a],
      [b, b],
    ]);
    expect(result).toMatchObject({ agreeing: 2, refusals: [] });
    expect(result.agentFloor).toBeCloseTo(0.8, 12);
    expect(result.roleFloor).toBeCloseTo(1.6, 12);
  });
  it('refuses a profile that flips a decision above the reference floor, by name', () => {
    const flipped = entry('a', [1, 4, 0], [1, 3, 0]);
    expect(
      judge(
        [
          [a, flipped],
          [b, b],
        ],
        { agent: 2.9, role: 0 },
      ).refusals.join(),
    ).toContain('a: slot 0 became 1');
  });
  it('forgives a flip at or below the reference floor', () => {
    const close = entry('c', [1.01, 1, -50], [90, 3, 0]);
    const flipped = entry('c', [1, 1.01, -50], [90, 3, 0]);
    expect(judge([[close, flipped]], { agent: 0.5, role: 0 }).refusals).toEqual([]);
  });
  it('refuses a drift above 10 % of the logits, such as scales that are 10.1 % too large', () => {
    const scaled = (source: ComparableCase, factor: number): ComparableCase =>
      entry(
        source.id,
        source.agentLogits.map((logit) => logit * factor),
        source.roleLogits.map((logit) => logit * factor),
      );
    expect(
      judge([
        [a, scaled(a, 1.101)],
        [b, scaled(b, 1.101)],
      ]).refusals.join(),
    ).toContain('drift');
    expect(
      judge([
        [a, scaled(a, 1.09)],
        [b, scaled(b, 1.09)],
      ]).refusals,
    ).toEqual([]);
  });
  it('refuses when nothing could be compared', () => {
    expect(calibrate([], null).refusals).toEqual(['no case was routed by both profiles']);
  });
});
