import { describe, expect, it } from 'vitest';
import { budgetsSchema } from '../../contracts/budgets.ts';
import {
  FakeClock,
  ScriptedAgents,
  ScriptedRouter,
  collect,
  delta,
  failure,
  finished,
  hangsAfter,
  logitsFor,
  ofType,
  runInput,
  says,
  streams,
  terminalOf,
} from './scripted-run.ts';

const worker = () => new ScriptedRouter([logitsFor(0, 'Worker')]);

describe('a deadline', () => {
  it.each([
    ['wall_time', { maxWallMs: 100 }],
    ['latency', { maxLatencyMs: 100 }],
  ] as const)('of %s aborts the call in flight and keeps its text', async (budget, limit) => {
    const clock = new FakeClock();
    const agents = new ScriptedAgents([hangsAfter(delta('part'))]);
    const budgets = budgetsSchema.parse(limit);
    const events = await collect(
      runInput({ router: worker(), agents, budgets, clock }),
      (event) => {
        if (event.type === 'delta') queueMicrotask(() => clock.advance(100));
      },
    );
    expect(ofType(events, 'turn_completed')).toMatchObject([{ text: 'part', complete: false }]);
    expect(terminalOf(events)).toMatchObject({ status: 'budget', budget, answer: null });
    expect(clock.pending).toBe(0);
  });

  it('of wall time ends a router that hangs', async () => {
    const clock = new FakeClock();
    const agents = new ScriptedAgents([says('never')]);
    const budgets = budgetsSchema.parse({ maxWallMs: 100 });
    const events = await collect(
      runInput({ router: new ScriptedRouter(['never']), agents, budgets, clock }),
      (event) => {
        if (event.type === 'turn_started') queueMicrotask(() => clock.advance(100));
      },
    );
    expect(terminalOf(events)).toMatchObject({ status: 'budget', budget: 'wall_time' });
    expect(agents.calls).toHaveLength(0);
  });

  it('does nothing a millisecond before its time', async () => {
    const clock = new FakeClock();
    const agents = new ScriptedAgents([says('42'), says('ACCEPT')]);
    const router = new ScriptedRouter([logitsFor(0, 'Worker'), logitsFor(0, 'Verifier')]);
    const budgets = budgetsSchema.parse({ maxWallMs: 100, maxLatencyMs: 99 });
    const events = await collect(runInput({ router, agents, budgets, clock }), (event) => {
      if (event.type === 'dispatch_started' && event.call === 1) clock.advance(98);
      if (event.type === 'dispatch_started' && event.call === 2) clock.advance(1);
    });
    expect(terminalOf(events)).toMatchObject({ status: 'accepted' });
  });

  it('of latency does not count the time that a consumer takes for the announcement', async () => {
    const clock = new FakeClock();
    const agents = new ScriptedAgents([says('42')]);
    const budgets = budgetsSchema.parse({ maxLatencyMs: 100, maxTurns: 1 });
    const events = await collect(
      runInput({ router: worker(), agents, budgets, clock }),
      (event) => {
        if (event.type === 'dispatch_started') clock.advance(500);
      },
    );
    expect(terminalOf(events)).toMatchObject({ status: 'max_turns', answer: '42' });
  });

  it('of latency counts from the start of each attempt', async () => {
    const clock = new FakeClock();
    const agents = new ScriptedAgents([
      async function* () {
        clock.advance(90);
        yield failure('limited', { retrying: true });
        clock.advance(90);
        yield { type: 'started', provider: 'p', model: 'm' };
        yield delta('42');
        clock.advance(90);
        yield finished();
      },
      says('ACCEPT'),
    ]);
    const router = new ScriptedRouter([logitsFor(0, 'Worker'), logitsFor(0, 'Verifier')]);
    const budgets = budgetsSchema.parse({ maxLatencyMs: 100 });
    const events = await collect(runInput({ router, agents, budgets, clock }));
    expect(terminalOf(events)).toMatchObject({ status: 'accepted' });
  });

  it('leaves the answer of an earlier turn as the answer of the run', async () => {
    const clock = new FakeClock();
    const agents = new ScriptedAgents([says('42'), hangsAfter(delta('AC'))]);
    const budgets = budgetsSchema.parse({ maxLatencyMs: 100 });
    const router = new ScriptedRouter([logitsFor(0, 'Worker'), logitsFor(0, 'Verifier')]);
    const events = await collect(runInput({ router, agents, budgets, clock }), (event) => {
      if (event.type === 'delta' && event.text === 'AC') queueMicrotask(() => clock.advance(100));
    });
    expect(terminalOf(events)).toMatchObject({ status: 'budget', answer: '42', verdict: null });
  });
});

describe('the budget of calls', () => {
  it('lets N calls be made and ends the run before the next', async () => {
    const agents = new ScriptedAgents([says('42')]);
    const budgets = budgetsSchema.parse({ maxCalls: 2, maxTurns: 9 });
    const events = await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(2);
    expect(terminalOf(events)).toMatchObject({ status: 'budget', budget: 'calls', answer: '42' });
  });

  it('prevents the retry that would be one too many', async () => {
    let retried = false;
    const agents = new ScriptedAgents([
      async function* () {
        yield failure('limited', { retrying: true, httpStatus: 429 });
        retried = true;
        yield delta('42');
        yield finished();
      },
    ]);
    const budgets = budgetsSchema.parse({ maxCalls: 1 });
    const events = await collect(runInput({ router: worker(), agents, budgets }));
    expect(retried).toBe(false);
    expect(ofType(events, 'dispatch_failed')).toMatchObject([{ next: 'end' }]);
    expect(terminalOf(events)).toMatchObject({ status: 'budget', budget: 'calls' });
  });

  it('prevents the call of a second selection', async () => {
    const agents = new ScriptedAgents([streams(failure('down')), says('never')]);
    const budgets = budgetsSchema.parse({ maxCalls: 1 });
    const events = await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(1);
    expect(terminalOf(events)).toMatchObject({ status: 'budget', budget: 'calls' });
  });
});

describe('the budget of cost', () => {
  it('refuses the call whose worst case goes beyond it', async () => {
    const agents = new ScriptedAgents([says('42', 0.06)]);
    agents.usd = 0.05;
    const budgets = budgetsSchema.parse({ maxCostUsd: 0.1, maxTurns: 9 });
    const events = await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(1);
    expect(terminalOf(events)).toMatchObject({ status: 'budget', budget: 'cost', answer: '42' });
  });

  it('allows a call whose worst case is exactly what is left', async () => {
    const agents = new ScriptedAgents([says('42', 0.05)]);
    agents.usd = 0.05;
    const budgets = budgetsSchema.parse({ maxCostUsd: 0.1, maxTurns: 9 });
    await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(2);
  });

  it.each([
    ['was refused with a status', failure('limited', { httpStatus: 429 }), true, 2],
    ['broke off after it was sent', failure('reset'), true, 1],
    ['was never sent', failure('key_missing'), false, 2],
  ] as const)('counts a failed call that %s', async (_, failed, isSent, calls) => {
    const started = { type: 'started', provider: 'p', model: 'm' } as const;
    const agents = new ScriptedAgents([
      streams(...(isSent ? [started] : []), failed),
      says('42', 0.06),
    ]);
    agents.usd = 0.06;
    const budgets = budgetsSchema.parse({ maxCostUsd: 0.1 });
    const events = await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(calls);
    expect(terminalOf(events)).toMatchObject({ budget: 'cost' });
  });

  it('refuses an unknown price with the sentence that says why', async () => {
    const agents = new ScriptedAgents([says('never')]);
    agents.usd = null;
    const budgets = budgetsSchema.parse({ maxCostUsd: 1 });
    const events = await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(0);
    expect(terminalOf(events)).toMatchObject({
      type: 'run_failed',
      code: 'price_unknown',
      message: 'The price of this model is not known.',
    });
  });

  it('calls at an unknown price when that is allowed', async () => {
    const agents = new ScriptedAgents([says('42')]);
    agents.usd = null;
    const budgets = budgetsSchema.parse({ maxCostUsd: 1, allowUnknownPrices: true, maxTurns: 1 });
    await collect(runInput({ router: worker(), agents, budgets }));
    expect(agents.calls).toHaveLength(1);
  });
});

describe('the budget of revisions', () => {
  const revisedTwice = () => ({
    router: new ScriptedRouter([
      logitsFor(0, 'Worker'),
      logitsFor(0, 'Verifier'),
      logitsFor(0, 'Verifier'),
      logitsFor(0, 'Verifier'),
    ]),
    agents: new ScriptedAgents([says('42'), says('REVISE'), says('REJECT'), says('ACCEPT')]),
  });

  it('goes on after N revisions', async () => {
    const budgets = budgetsSchema.parse({ maxRevisions: 2 });
    const events = await collect(runInput({ ...revisedTwice(), budgets }));
    expect(terminalOf(events)).toMatchObject({ status: 'accepted' });
  });

  it('ends the run after more than N', async () => {
    const budgets = budgetsSchema.parse({ maxRevisions: 1 });
    const events = await collect(runInput({ ...revisedTwice(), budgets }));
    expect(terminalOf(events)).toMatchObject({ budget: 'revisions', answer: '42' });
  });
});
