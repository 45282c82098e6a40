import { describe, expect, it } from 'vitest';
import { defaultInstructions } from '../../contracts/role-instructions.ts';
import { roleNames } from '../../contracts/roles.ts';
import { instructionFor } from '../../coordinator/instructions.ts';
import { parseSuggestion } from '../../coordinator/thinker.ts';

const words = { acceptWord: 'ACCEPT', reviseWord: 'REVISE' };

describe('instructionFor', () => {
  it('has one of ours for every role', () => {
    for (const role of roleNames) {
      expect(instructionFor(role, {}, words).length).toBeGreaterThan(100);
    }
  });

  it("puts the person's own in its place, and ours back when it is blank or gone", () => {
    expect(instructionFor('Worker', { Worker: 'Do it.' }, words)).toBe('Do it.');
    expect(instructionFor('Worker', { Worker: ' \n' }, words)).toBe(defaultInstructions.Worker);
    expect(instructionFor('Worker', { Worker: undefined }, words)).toBe(defaultInstructions.Worker);
    expect(instructionFor('Worker', { Thinker: 'Think.' }, words)).toBe(defaultInstructions.Worker);
  });

  it('names the verdict words, ours and custom ones, without reading them as patterns', () => {
    expect(instructionFor('Verifier', {}, words)).toContain('ACCEPT');
    const custom = { acceptWord: ' $& ', reviseWord: 'NOCHMAL' };
    const text = instructionFor('Verifier', { Verifier: 'Say {accept} or {revise}.' }, custom);
    expect(text).toBe('Say $& or NOCHMAL.');
  });

  it('asks the Thinker for the tags that its parser reads', () => {
    expect(parseSuggestion(defaultInstructions.Thinker)).toEqual({
      role: 'Worker',
      text: 'your advice',
    });
  });
});
