import { describe, expect, it } from 'vitest';
import { budgetsSchema } from '../../contracts/budgets.ts';
import {
  ScriptedAgents,
  ScriptedRouter,
  collect,
  logitsFor,
  ofType,
  runInput,
  says,
  terminalOf,
  defaultRunOptions,
} from './scripted-run.ts';

const twoTurns = budgetsSchema.parse({ maxTurns: 2 });
const plan = (role: string) =>
  says(`Plan.<suggestion>go on</suggestion><suggested_role>${role}</suggested_role>`);

describe('the Verifier guard', () => {
  it('sends a first Verifier choice to a Worker with the Worker instruction', async () => {
    const agents = new ScriptedAgents([says('42'), says('ACCEPT')]);
    const router = new ScriptedRouter([logitsFor(0, 'Verifier')]);
    const events = await collect(runInput({ router, agents }));
    expect(agents.calls.map(({ role }) => role)).toEqual(['Worker', 'Verifier']);
    expect(agents.calls[0]?.view.system).toContain('You are the Worker');
    expect(terminalOf(events)).toMatchObject({ status: 'accepted', answer: '42' });
  });

  it('applies to a pinned role and to every turn until there is an answer', async () => {
    const agents = new ScriptedAgents([says(''), says('  '), says('42'), says('ACCEPT')]);
    const router = new ScriptedRouter([logitsFor(0, 'Thinker')]);
    const events = await collect(runInput({ router, agents, pins: { role: 'Verifier' } }));
    expect(ofType(events, 'routed').map(({ decision }) => decision.role.reason)).toEqual([
      { kind: 'guard', over: 'pin' },
      { kind: 'guard', over: 'pin' },
      { kind: 'guard', over: 'pin' },
      { kind: 'pin' },
    ]);
    expect(terminalOf(events)).toMatchObject({ status: 'accepted', answer: '42' });
  });

  it('lets an accept without an answer end the run when it is off', async () => {
    const agents = new ScriptedAgents([says('ACCEPT')]);
    const router = new ScriptedRouter([logitsFor(0, 'Verifier')]);
    const options = { ...defaultRunOptions, guardVerifier: false };
    const events = await collect(runInput({ router, agents, options }));
    expect(agents.calls.map(({ role }) => role)).toEqual(['Verifier']);
    expect(terminalOf(events)).toMatchObject({ status: 'accepted', answer: null });
  });

  it('judges the earlier run only through what the person says', async () => {
    const agents = new ScriptedAgents([says('42'), says('ACCEPT')]);
    const router = new ScriptedRouter([logitsFor(0, 'Verifier')]);
    const history = [{ task: 'What is 6 times 7?', answer: '42' }];
    const events = await collect(runInput({ router, agents, history, task: 'Sure?' }));
    expect(ofType(events, 'routed')[0]?.decision.role.reason.kind).toBe('guard');
  });
});

describe("a Thinker's suggestion", () => {
  it('sets the role of the next turn once', async () => {
    const agents = new ScriptedAgents([plan('worker'), says('42'), says('more')]);
    const router = new ScriptedRouter([logitsFor(0, 'Thinker')]);
    const budgets = budgetsSchema.parse({ maxTurns: 3 });
    const events = await collect(runInput({ router, agents, budgets }));
    expect(ofType(events, 'routed').map(({ decision }) => decision.role)).toEqual([
      { raw: 'Thinker', effective: 'Thinker', reason: { kind: 'router' } },
      { raw: 'Thinker', effective: 'Worker', reason: { kind: 'suggestion', turn: 1 } },
      { raw: 'Thinker', effective: 'Thinker', reason: { kind: 'router' } },
    ]);
    expect(ofType(events, 'turn_completed')[0]?.suggestion).toEqual({
      role: 'Worker',
      text: 'go on',
    });
  });

  it('is read but not followed when the option is off', async () => {
    const agents = new ScriptedAgents([plan('worker')]);
    const router = new ScriptedRouter([logitsFor(0, 'Thinker')]);
    const options = { ...defaultRunOptions, followSuggestions: false };
    const events = await collect(runInput({ router, agents, options, budgets: twoTurns }));
    expect(agents.calls.map(({ role }) => role)).toEqual(['Thinker', 'Thinker']);
    expect(ofType(events, 'turn_completed')[0]?.suggestion?.role).toBe('Worker');
  });

  it('of a Verifier is guarded like any other choice', async () => {
    const agents = new ScriptedAgents([plan('verifier'), says('42')]);
    const router = new ScriptedRouter([logitsFor(0, 'Thinker')]);
    const events = await collect(runInput({ router, agents, budgets: twoTurns }));
    expect(ofType(events, 'routed')[1]?.decision.role).toEqual({
      raw: 'Thinker',
      effective: 'Worker',
      reason: { kind: 'guard', over: 'suggestion' },
    });
  });

  it('gives way to a pin', async () => {
    const agents = new ScriptedAgents([plan('worker')]);
    const router = new ScriptedRouter([logitsFor(0, 'Worker')]);
    await collect(runInput({ router, agents, budgets: twoTurns, pins: { role: 'Thinker' } }));
    expect(agents.calls.map(({ role }) => role)).toEqual(['Thinker', 'Thinker']);
  });
});

describe('verdicts', () => {
  it('that are not known count as revisions and say so', async () => {
    const agents = new ScriptedAgents([
      says('42'),
      says('Looks fine.'),
      says('43'),
      says('ACCEPT'),
    ]);
    const router = new ScriptedRouter([
      logitsFor(0, 'Worker'),
      logitsFor(0, 'Verifier'),
      logitsFor(0, 'Worker'),
      logitsFor(0, 'Verifier'),
    ]);
    const budgets = budgetsSchema.parse({ maxRevisions: 0 });
    const events = await collect(runInput({ router, agents, budgets }));
    expect(ofType(events, 'turn_completed')[1]?.verdict).toEqual({
      status: 'unknown',
      diagnosis: 'Looks fine.',
    });
    expect(terminalOf(events)).toMatchObject({
      status: 'budget',
      budget: 'revisions',
      answer: '42',
      verdict: { status: 'unknown' },
    });
  });

  it('are read with the words of the person, which the instruction asks for', async () => {
    const agents = new ScriptedAgents([says('42'), says('Passt: ja')]);
    const router = new ScriptedRouter([logitsFor(0, 'Verifier')]);
    const options = { ...defaultRunOptions, acceptWord: 'PASST', reviseWord: 'NOCHMAL' };
    const events = await collect(runInput({ router, agents, options }));
    expect(agents.calls[1]?.view.system).toContain('PASST');
    expect(terminalOf(events)).toMatchObject({ status: 'accepted', verdict: { diagnosis: 'ja' } });
  });
});

describe('what a provider is sent', () => {
  it('is the instruction, the slot suffix and the system prompt, and never reaches the router', async () => {
    const agents = new ScriptedAgents([says('42')]);
    agents.systemSuffix = 'Slot suffix.';
    const router = new ScriptedRouter([logitsFor(0, 'Worker')]);
    await collect(
      runInput({
        router,
        agents,
        budgets: budgetsSchema.parse({ maxTurns: 1 }),
        systemPrompt: 'Be brief.',
        roleInstructions: { Worker: 'Work.' },
      }),
    );
    expect(agents.calls[0]?.view.system).toBe('Work.\n\nSlot suffix.\n\nBe brief.');
    expect(JSON.stringify(router.requests)).not.toMatch(/Work\.|Slot suffix/);
    expect(router.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });
});
