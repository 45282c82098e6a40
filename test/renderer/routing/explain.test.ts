import { describe, expect, it } from 'vitest';
import { maskCauses } from '../../../contracts/route.ts';
import { explainDecision, tagsOf } from '../../../renderer/routing/explain.ts';
import { decisionOf } from '../../fixtures/run-events.ts';

const nameOf = (slot: number) => `Agent ${slot}`;
const said = (over: Parameters<typeof decisionOf>[0]) =>
  explainDecision(decisionOf(over), nameOf).join(' ');

describe('why a turn has its agent and role', () => {
  it('is one sentence where the router decided both', () => {
    expect(said({})).toBe('The router chose Agent 4 as Worker.');
    expect(tagsOf(decisionOf())).toEqual(['router']);
  });

  it('names the guard, and what it overruled', () => {
    const guarded = (over: 'router' | 'pin' | 'suggestion') =>
      said({ role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'guard', over } } });
    const rest =
      'Verifier, but there is no finished answer to verify yet, so the turn goes to a Worker.';
    expect(guarded('router')).toContain(`The router chose ${rest}`);
    expect(guarded('pin')).toContain(`You pinned ${rest}`);
    expect(guarded('suggestion')).toContain(`The Thinker suggested ${rest}`);
  });

  it('names the raw choice beside a pin and a suggestion', () => {
    expect(
      said({
        role: { raw: 'Thinker', effective: 'Worker', reason: { kind: 'suggestion', turn: 2 } },
      }),
    ).toContain('The Thinker of turn 2 suggested Worker; the router would have chosen Thinker.');
    expect(said({ slot: { raw: 4, effective: 1, reason: { kind: 'pin' } } })).toContain(
      'You pinned Agent 1; the router would have chosen Agent 4.',
    );
    expect(said({ slot: { raw: 4, effective: 4, reason: { kind: 'pin' } } })).toContain(
      'You pinned Agent 4; the router would have chosen it too.',
    );
  });

  it.each(maskCauses)('says why a slot was passed over: %s', (cause) => {
    const text = said({
      slot: { raw: 4, effective: 6, reason: { kind: 'mask', over: 'router', cause } },
    });
    expect(text).toMatch(/The router chose Agent 4, which .+; Agent 6 comes next\./);
  });

  it('says of a preview that the person left the slot out', () => {
    const decision = decisionOf({
      slot: { raw: 4, effective: 6, reason: { kind: 'mask', over: 'router', cause: 'disabled' } },
    });
    expect(explainDecision(decision, nameOf, [4]).join(' ')).toContain('which you left out');
  });

  it('has a tag for everything that moved the choice', () => {
    expect(
      tagsOf(
        decisionOf({
          slot: { raw: 4, effective: 6, reason: { kind: 'mask', over: 'pin', cause: 'failed' } },
          role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'guard', over: 'router' } },
        }),
      ),
    ).toEqual(['redirected', 'masked']);
  });
});
