import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../contracts/events.ts';
import { settingsSchema } from '../../../contracts/settings.ts';
import { coordinatorLoop } from '../../../main/conversations/coordinator-loop.ts';
import {
  failure,
  FakeClock,
  fixedRandom,
  hangsAfter,
  logitsFor,
  ofType,
  says,
  ScriptedAgents,
  ScriptedRouter,
  streams,
  terminalOf,
  withLogits,
  type ScriptedCall,
} from '../../coordinator/scripted-run.ts';

const worker = logitsFor(0, 'Worker');
const thinker = logitsFor(2, 'Thinker');
const verifier = logitsFor(1, 'Verifier');

type Given = Partial<Omit<Parameters<typeof settingsSchema.parse>[0] & object, 'version'>>;

/** The loop with these settings over a router and agents that write down what they are asked. */
function loopWith(
  settings: Given,
  routes: ConstructorParameters<typeof ScriptedRouter>[0] = [worker, verifier],
  calls: readonly ScriptedCall[] = [says('42')],
) {
  const router = new ScriptedRouter(routes);
  const agents = new ScriptedAgents(calls);
  const clock = new FakeClock();
  const kinds: string[] = [];
  const loop = coordinatorLoop({
    settings: () => settingsSchema.parse({ version: 1, ...settings }),
    router,
    agents: (kind) => {
      kinds.push(kind);
      return agents;
    },
    clock,
    random: fixedRandom,
  });
  const start = {
    conversationId: 'conversation-7',
    task: 'What is 6 times 7?',
    systemPrompt: '',
    earlier: [],
    pins: {},
  };
  return {
    router,
    agents,
    kinds,
    loop,
    whatIf: (over: { conversationId?: null } = {}) =>
      loop.decide({ ...start, ...over, disabledSlots: [] }, undefined),
    /** Runs to the end; time passes wherever the run waits for it alone. */
    run: async (): Promise<RunEvent[]> => {
      const events: RunEvent[] = [];
      let hasEnded = false;
      const ending = (async () => {
        for await (const event of loop.run(
          { runId: 'run-1', ...start },
          new AbortController().signal,
        )) {
          events.push(event);
        }
        hasEnded = true;
      })();
      for (;;) {
        for (let round = 0; round < 30; round += 1) await new Promise((done) => setImmediate(done));
        if (hasEnded || !clock.advanceToNext()) break;
      }
      await ending;
      return events;
    },
  };
}

const rolesOf = (events: readonly RunEvent[]) =>
  ofType(events, 'turn_completed').map(({ role }) => role);

describe('a setting that reaches a run', () => {
  it('is who answers', async () => {
    const { loop, kinds, run } = loopWith({ agents: 'slots' });
    await run();
    expect(loop.agentsKind()).toBe('slots');
    expect(new Set(kinds)).toEqual(new Set(['slots']));
  });

  it.each(['Worker', 'Thinker', 'Verifier'] as const)(
    'is the instruction of a %s',
    async (role) => {
      const own = `Be a ${role} of few words.`;
      const routes =
        role === 'Verifier' ? [worker, verifier] : [role === 'Worker' ? worker : thinker];
      const { agents, run } = loopWith(
        { roleInstructions: { [role]: own }, budgets: { maxTurns: 2 } },
        routes,
      );
      await run();
      const call = agents.calls.find((made) => made.role === role);
      expect(call?.view.system).toContain(own);
    },
  );

  it.each([
    [true, ['Worker']],
    [false, ['Verifier']],
  ])('is whether a Verifier waits for an answer: %s', async (guardVerifier, roles) => {
    const settings = { coordinator: { guardVerifier }, budgets: { maxTurns: 1 } };
    const { run } = loopWith(settings, [verifier]);
    expect(rolesOf(await run())).toEqual(roles);
  });

  it.each([
    [true, ['Thinker', 'Worker']],
    [false, ['Thinker', 'Thinker']],
  ])('is whether a suggestion is followed: %s', async (followSuggestions, roles) => {
    const { run } = loopWith(
      { coordinator: { followSuggestions }, budgets: { maxTurns: 2 } },
      [thinker],
      [says('<suggestion>Add first.</suggestion><suggested_role>worker</suggested_role>')],
    );
    expect(rolesOf(await run())).toEqual(roles);
  });

  it('is the words of a verdict, in the instruction and in the reading of it', async () => {
    const coordinator = { acceptWord: 'PASST', reviseWord: 'NOCHMAL' };
    const { agents, run } = loopWith(
      { coordinator },
      [worker, verifier],
      [says('41'), says('NOCHMAL: es ist 42'), says('PASST')],
    );
    const events = await run();
    expect(ofType(events, 'turn_completed').map(({ verdict }) => verdict?.status)).toEqual([
      undefined,
      'revised',
      'accepted',
    ]);
    expect(agents.calls[1]?.view.system).toContain('PASST');
    expect(agents.calls[1]?.view.system).toContain('NOCHMAL');
  });

  it('is the window that the router reads', async () => {
    const { router, run, whatIf } = loopWith({ windowTokens: 4096, budgets: { maxTurns: 1 } });
    await run();
    await whatIf();
    expect(router.requests.map(({ windowTokens }) => windowTokens)).toEqual([4096, 4096]);
  });

  it('is how a choice is made, recorded with the decision', async () => {
    const selection = { mode: 'sample', temperature: 0.5, seed: 11 } as const;
    const even = withLogits([0, 0, 0], [1, 1, 1]);
    const { run } = loopWith({ selection, budgets: { maxTurns: 4 } }, [even], [says('No.')]);
    const decisions = ofType(await run(), 'routed').map(({ decision }) => decision);
    for (const decision of decisions) {
      expect(decision.selection).toEqual(selection);
      expect(decision.agentProbabilities).toEqual([1 / 3, 1 / 3, 1 / 3]);
    }
    expect(new Set(decisions.map(({ slot }) => slot.raw)).size).toBeGreaterThan(1);
  });
});

describe('a limit that reaches a run', () => {
  it('is its turns', async () => {
    const { run } = loopWith({ budgets: { maxTurns: 3 } }, [worker]);
    const events = await run();
    expect(terminalOf(events)).toMatchObject({ status: 'max_turns' });
    expect(rolesOf(events)).toHaveLength(3);
  });

  it('is its calls, those that failed included', async () => {
    const calls = [streams(failure('server_error')), says('42')];
    const { agents, run } = loopWith({ budgets: { maxCalls: 2 } }, [worker], calls);
    expect(terminalOf(await run())).toMatchObject({ status: 'budget', budget: 'calls' });
    expect(agents.calls).toHaveLength(2);
  });

  it('is its revisions', async () => {
    const { run } = loopWith(
      { budgets: { maxRevisions: 0 } },
      [worker, verifier],
      [says('41'), says('REVISE: it is 42')],
    );
    expect(terminalOf(await run())).toMatchObject({ status: 'budget', budget: 'revisions' });
  });

  it('is its time', async () => {
    const { run } = loopWith({ budgets: { maxWallMs: 7_000 } }, [worker], [hangsAfter()]);
    expect(terminalOf(await run())).toMatchObject({
      status: 'budget',
      budget: 'wall_time',
      at: new FakeClock().now() + 7_000,
    });
  });

  it('is the time of one call', async () => {
    const { run } = loopWith({ budgets: { maxLatencyMs: 900 } }, [worker], [hangsAfter()]);
    expect(terminalOf(await run())).toMatchObject({
      status: 'budget',
      budget: 'latency',
      at: new FakeClock().now() + 900,
    });
  });

  it('is its cost', async () => {
    const { agents, run } = loopWith({ budgets: { maxCostUsd: 0.01 } }, [worker]);
    agents.usd = 0.02;
    expect(terminalOf(await run())).toMatchObject({ status: 'budget', budget: 'cost' });
    expect(agents.calls).toEqual([]);
  });

  it.each([
    [false, 0],
    [true, 1],
  ])('is whether an unknown price may be called: %s', async (allowUnknownPrices, calls) => {
    const budgets = { maxCostUsd: 0.01, allowUnknownPrices, maxTurns: 1 };
    const { agents, run } = loopWith({ budgets }, [worker]);
    agents.usd = null;
    await run();
    expect(agents.calls).toHaveLength(calls);
  });
});

describe('a what-if', () => {
  it.each([
    [true, 'Worker'],
    [false, 'Verifier'],
  ])('holds a Verifier back as the settings say: %s', async (guardVerifier, role) => {
    const { whatIf } = loopWith({ coordinator: { guardVerifier } }, [verifier]);
    expect((await whatIf()).role.effective).toBe(role);
  });

  it('chooses as the settings say, and the same way each time it is asked', async () => {
    const selection = { mode: 'sample', temperature: 2 } as const;
    const { whatIf } = loopWith({ selection }, [withLogits([0, 0, 0], [1, 1, 1])]);
    const first = await whatIf();
    expect(first.selection).toEqual({ ...selection, seed: 0 });
    expect(await whatIf()).toEqual(first);
  });

  it('reads the prefix cache of its conversation, which only runs write', async () => {
    const { router, run, whatIf } = loopWith({ budgets: { maxTurns: 1 } });
    await run();
    await whatIf();
    expect(router.requests.map(({ cacheKey, cache }) => [cacheKey, cache ?? 'readwrite'])).toEqual([
      ['conversation-7', 'readwrite'],
      ['conversation-7', 'read'],
    ]);
  });

  it('before there is a conversation has no prefix to read', async () => {
    const { router, whatIf } = loopWith({});
    await whatIf({ conversationId: null });
    expect(router.requests[0]).not.toHaveProperty('cacheKey');
  });
});
