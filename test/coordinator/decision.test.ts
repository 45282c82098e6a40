import { describe, expect, it } from 'vitest';
import type { RoleName } from '../../contracts/roles.ts';
import { decide, type DecisionInput } from '../../coordinator/decision.ts';
import { logitsFor, withLogits } from './scripted-run.ts';

const base: DecisionInput = {
  logits: logitsFor(1, 'Worker'),
  transcriptHash: `v1:${'c'.repeat(64)}`,
  turn: 2,
  selection: { mode: 'argmax', temperature: 1, seed: null },
  pins: {},
  suggestion: null,
  hasAnswer: true,
  guardVerifier: true,
  masks: [null, null, null],
};

describe('the slot', () => {
  it('is the raw choice', () => {
    const { slot, agentMargin, maskedMargin } = decide(base);
    expect(slot).toEqual({ raw: 1, effective: 1, reason: { kind: 'router' } });
    expect(agentMargin).toBe(5);
    expect(maskedMargin).toBeNull();
  });

  it('is the pinned one, with the raw choice kept', () => {
    expect(decide({ ...base, pins: { slot: 2 } }).slot).toEqual({
      raw: 1,
      effective: 2,
      reason: { kind: 'pin' },
    });
  });

  it('is the best of the others when the raw choice is masked, with both margins', () => {
    const logits = withLogits([1, 9, 4, 4.5], [1, 0, 0]);
    const decision = decide({ ...base, logits, masks: [null, 'unhealthy', null, null] });
    expect(decision.slot).toEqual({
      raw: 1,
      effective: 3,
      reason: { kind: 'mask', over: 'router', cause: 'unhealthy' },
    });
    expect(decision.agentMargin).toBe(4.5);
    expect(decision.maskedMargin).toBe(0.5);
  });

  it('leaves a masked pin too, and says so', () => {
    const decision = decide({ ...base, pins: { slot: 2 }, masks: [null, null, 'budget'] });
    expect(decision.slot).toEqual({
      raw: 1,
      effective: 1,
      reason: { kind: 'mask', over: 'pin', cause: 'budget' },
    });
  });

  it('counts slots that nobody serves as disabled', () => {
    const decision = decide({ ...base, masks: [null] });
    expect(decision.slot).toMatchObject({ effective: 0, reason: { cause: 'disabled' } });
    expect(decision.maskedMargin).toBe(0);
  });

  it('cannot be chosen when every one is masked', () => {
    const masks = ['disabled', 'failed', 'budget'] as const;
    expect(() => decide({ ...base, masks })).toThrow(
      expect.objectContaining({ code: 'no_agent_available' }),
    );
  });

  it.each([3, -1, 0.5])('cannot be pinned to %s of three', (slot) => {
    expect(() => decide({ ...base, pins: { slot } })).toThrow(
      expect.objectContaining({ code: 'invalid_pin' }),
    );
  });
});

describe('the role', () => {
  const roleFor = (raw: RoleName, over: Partial<DecisionInput>) =>
    decide({ ...base, logits: logitsFor(1, raw), ...over }).role;

  it('is the raw choice', () => {
    expect(roleFor('Thinker', {})).toEqual({
      raw: 'Thinker',
      effective: 'Thinker',
      reason: { kind: 'router' },
    });
  });

  it('is a suggestion over the raw choice, naming the turn that made it', () => {
    expect(roleFor('Thinker', { suggestion: { role: 'Verifier', turn: 1 } })).toEqual({
      raw: 'Thinker',
      effective: 'Verifier',
      reason: { kind: 'suggestion', turn: 1 },
    });
  });

  it('is the pin over a suggestion', () => {
    const over = { pins: { role: 'Worker' }, suggestion: { role: 'Verifier', turn: 1 } } as const;
    expect(roleFor('Thinker', over)).toMatchObject({
      effective: 'Worker',
      reason: { kind: 'pin' },
    });
  });

  it.each([
    ['router', {}],
    ['pin', { pins: { role: 'Verifier' } }],
    ['suggestion', { suggestion: { role: 'Verifier', turn: 1 } }],
  ] as const)('is Worker when nothing is there to verify, also over a %s', (over, input) => {
    const raw = over === 'router' ? 'Verifier' : 'Thinker';
    expect(roleFor(raw, { ...input, hasAnswer: false })).toEqual({
      raw,
      effective: 'Worker',
      reason: { kind: 'guard', over },
    });
  });

  it('stays Verifier without an answer when the guard is off', () => {
    expect(roleFor('Verifier', { hasAnswer: false, guardVerifier: false })).toMatchObject({
      effective: 'Verifier',
      reason: { kind: 'router' },
    });
  });
});

describe('the numbers', () => {
  it('carry probabilities for softmax and sample only', () => {
    expect(decide(base)).toMatchObject({ agentProbabilities: null, roleProbabilities: null });
    const soft = decide({ ...base, selection: { mode: 'softmax', temperature: 1, seed: null } });
    expect(soft.agentProbabilities).toHaveLength(3);
    expect(soft.roleProbabilities).toHaveLength(3);
  });

  it('sample agent and role independently and repeat with the seed', () => {
    const logits = withLogits(Array(8).fill(0), [0, 0, 0]);
    const at = (turn: number) =>
      decide({
        ...base,
        logits,
        turn,
        masks: Array(8).fill(null),
        selection: { mode: 'sample', temperature: 1, seed: 5 },
      });
    expect(at(3)).toEqual(at(3));
    const choices = Array.from({ length: 30 }, (_, turn) => at(turn));
    expect(new Set(choices.map(({ slot, role }) => `${slot.raw}${role.raw}`)).size).toBeGreaterThan(
      8,
    );
  });

  it.each([
    ['no agents', [], [1, 0, 0]],
    ['two roles', [1, 0], [1, 0]],
    ['four roles', [1, 0], [1, 0, 0, 0]],
    ['a NaN', [1, Number.NaN], [1, 0, 0]],
    ['an infinity', [1, 0], [1, 0, Number.NEGATIVE_INFINITY]],
  ])('refuses logits with %s', (_, agents, roles) => {
    expect(() => decide({ ...base, logits: withLogits(agents, roles) })).toThrow(
      expect.objectContaining({ code: 'invalid_logits' }),
    );
  });
});
