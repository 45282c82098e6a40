import { describe, expect, it } from 'vitest';
import { chatRouteDefaults } from '../../contracts/route.ts';
import { whatIf, type WhatIfInput } from '../../coordinator/what-if.ts';
import { ScriptedAgents, ScriptedRouter, logitsFor } from './scripted-run.ts';

function question(router: ScriptedRouter, agents: ScriptedAgents): WhatIfInput {
  return {
    task: 'Do it.',
    systemPrompt: 'Be brief.',
    history: [{ task: 'a', answer: 'b' }],
    pins: {},
    disabledSlots: [],
    selection: { mode: 'argmax', temperature: 1, seed: null },
    guardVerifier: true,
    router,
    routeDefaults: chatRouteDefaults,
    cacheKey: 'c1/main',
    slots: agents.slots(),
  };
}

describe('whatIf', () => {
  it('routes the view a run would have, reads the cache only, and calls nobody', async () => {
    const router = new ScriptedRouter([logitsFor(1, 'Verifier')]);
    const agents = new ScriptedAgents([]);
    const decision = await whatIf(question(router, agents));
    expect(router.requests).toMatchObject([
      {
        cacheKey: 'c1/main',
        cache: 'read',
        messages: [{ role: 'system' }, { content: 'a' }, { content: 'b' }, { content: 'Do it.' }],
      },
    ]);
    expect(agents.calls).toEqual([]);
    expect(decision).toMatchObject({
      slot: { raw: 1, effective: 1 },
      role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'guard', over: 'router' } },
    });
  });

  it('thinks slots away on top of those that cannot be called', async () => {
    const agents = new ScriptedAgents([]);
    agents.masks = ['unhealthy', null, null];
    const router = new ScriptedRouter([logitsFor(1, 'Worker')]);
    const decision = await whatIf({ ...question(router, agents), disabledSlots: [1] });
    expect(decision.slot).toEqual({
      raw: 1,
      effective: 2,
      reason: { kind: 'mask', over: 'router', cause: 'disabled' },
    });
  });

  it('asks without a cache when there is no conversation', async () => {
    const router = new ScriptedRouter([logitsFor(1, 'Worker')]);
    await whatIf({ ...question(router, new ScriptedAgents([])), cacheKey: undefined });
    expect(router.requests[0]).not.toHaveProperty('cache');
  });
});
