import { describe, expect, it } from 'vitest';
import { budgetsSchema } from '../../contracts/budgets.ts';
import { runEventSchema } from '../../contracts/events.ts';
import { runTurns } from '../../coordinator/loop.ts';
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

const workerThenVerifier = () =>
  new ScriptedRouter([logitsFor(1, 'Worker'), logitsFor(2, 'Verifier')]);

describe('a run that ends by itself', () => {
  it('goes from Worker to Verifier and ends accepted with the Worker text', async () => {
    const agents = new ScriptedAgents([says('It is 42.'), says('ACCEPT: right.')]);
    const events = await collect(runInput({ router: workerThenVerifier(), agents }));
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'turn_started',
      'routed',
      'dispatch_started',
      'delta',
      'delta',
      'dispatch_finished',
      'turn_completed',
      'turn_started',
      'routed',
      'dispatch_started',
      'delta',
      'delta',
      'dispatch_finished',
      'turn_completed',
      'run_completed',
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(terminalOf(events)).toMatchObject({
      status: 'accepted',
      budget: null,
      answer: 'It is 42.',
      verdict: { status: 'accepted', diagnosis: 'right.' },
      turn: 0,
    });
  });

  it('yields events that their schema accepts', async () => {
    const agents = new ScriptedAgents([says('It is 42.'), says('ACCEPT')]);
    for (const event of await collect(runInput({ router: workerThenVerifier(), agents }))) {
      expect(runEventSchema.parse(event)).toEqual(event);
    }
  });

  it('shows the router every turn of the run as plain assistant messages', async () => {
    const router = new ScriptedRouter([
      logitsFor(0, 'Worker'),
      logitsFor(0, 'Verifier'),
      logitsFor(0, 'Worker'),
      logitsFor(0, 'Verifier'),
    ]);
    const agents = new ScriptedAgents([
      says('It is 41.'),
      says('REVISE: off by one'),
      says('It is 42.'),
      says('ACCEPT'),
    ]);
    const events = await collect(runInput({ router, agents, cacheKey: 'c1/main' }));
    expect(router.requests.at(-1)).toMatchObject({
      cacheKey: 'c1/main',
      cache: 'readwrite',
      messages: [
        { role: 'user', content: 'What is 6 times 7?' },
        { role: 'assistant', content: 'It is 41.' },
        { role: 'assistant', content: 'REVISE: off by one' },
        { role: 'assistant', content: 'It is 42.' },
      ],
    });
    expect(terminalOf(events)).toMatchObject({ status: 'accepted', answer: 'It is 42.' });
  });

  it('ends with the last Worker text when all turns are used', async () => {
    const router = new ScriptedRouter([logitsFor(0, 'Worker')]);
    const agents = new ScriptedAgents([says('one'), says('two')]);
    const budgets = budgetsSchema.parse({ maxTurns: 2 });
    const events = await collect(runInput({ router, agents, budgets }));
    expect(terminalOf(events)).toMatchObject({
      type: 'run_completed',
      status: 'max_turns',
      budget: 'turns',
      answer: 'two',
    });
    expect(agents.calls).toHaveLength(2);
  });

  it('ends all turns without a Worker text with no answer', async () => {
    const router = new ScriptedRouter([logitsFor(0, 'Thinker')]);
    const agents = new ScriptedAgents([says('Split it in two.')]);
    const budgets = budgetsSchema.parse({ maxTurns: 2 });
    const events = await collect(runInput({ router, agents, budgets }));
    expect(terminalOf(events)).toMatchObject({ status: 'max_turns', answer: null, verdict: null });
  });
});

describe('Stop', () => {
  it('keeps the partial text and ends at once though agent and generator hang', async () => {
    const stop = new AbortController();
    const agents = new ScriptedAgents([hangsAfter(delta('It is '), delta('4'))]);
    const input = runInput({
      router: new ScriptedRouter([logitsFor(0, 'Worker')]),
      agents,
      signal: stop.signal,
    });
    const events = await collect(input, (event) => {
      if (event.type === 'delta' && event.text === '4') queueMicrotask(() => stop.abort());
    });
    expect(ofType(events, 'turn_completed')).toMatchObject([{ text: 'It is 4', complete: false }]);
    expect(terminalOf(events)).toMatchObject({ status: 'stopped', answer: null });
  });

  it('does not wait for a router that never answers', async () => {
    const stop = new AbortController();
    const agents = new ScriptedAgents([says('never')]);
    const input = runInput({ router: new ScriptedRouter(['never']), agents, signal: stop.signal });
    const events = await collect(input, (event) => {
      if (event.type === 'turn_started') queueMicrotask(() => stop.abort());
    });
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'turn_started',
      'run_completed',
    ]);
    expect(agents.calls).toHaveLength(0);
  });

  it('makes no call when it came while the dispatch was being announced', async () => {
    const stop = new AbortController();
    const agents = new ScriptedAgents([says('never')]);
    const input = runInput({
      router: new ScriptedRouter([logitsFor(0, 'Worker')]),
      agents,
      signal: stop.signal,
    });
    const events = await collect(input, (event) => {
      if (event.type === 'dispatch_started') stop.abort();
    });
    expect(agents.calls).toHaveLength(0);
    expect(terminalOf(events)).toMatchObject({ status: 'stopped' });
  });

  it('keeps the answer of an earlier turn', async () => {
    const stop = new AbortController();
    const agents = new ScriptedAgents([says('It is 42.'), hangsAfter(delta('REV'))]);
    const input = runInput({ router: workerThenVerifier(), agents, signal: stop.signal });
    const events = await collect(input, (event) => {
      if (event.type === 'delta' && event.text === 'REV') queueMicrotask(() => stop.abort());
    });
    expect(terminalOf(events)).toMatchObject({ status: 'stopped', answer: 'It is 42.' });
    expect(ofType(events, 'turn_completed').at(-1)).toMatchObject({
      text: 'REV',
      complete: false,
      verdict: null,
    });
  });

  it('yields only the frame of a run that was stopped before it began', async () => {
    const agents = new ScriptedAgents([says('never')]);
    const input = runInput({
      router: workerThenVerifier(),
      agents,
      signal: AbortSignal.abort(),
    });
    expect((await collect(input)).map(({ type }) => type)).toEqual([
      'run_started',
      'run_completed',
    ]);
  });
});

describe('a consumer that leaves early', () => {
  it('aborts the call in flight and leaves no timer behind', async () => {
    const clock = new FakeClock();
    let signalOfCall: AbortSignal | undefined;
    const agents = new ScriptedAgents([
      (call, signal) => {
        signalOfCall = signal;
        return hangsAfter(delta('x'))(call, signal);
      },
    ]);
    const budgets = budgetsSchema.parse({ maxWallMs: 1000, maxLatencyMs: 500 });
    const router = new ScriptedRouter([logitsFor(0, 'Worker')]);
    for await (const event of runTurns(runInput({ router, agents, budgets, clock }))) {
      if (event.type === 'delta') break;
    }
    expect(signalOfCall?.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });
});

describe('a call that fails', () => {
  it('is selected again once with its slot masked, and both facts stay', async () => {
    const router = new ScriptedRouter([logitsFor(1, 'Worker'), logitsFor(1, 'Verifier')]);
    const agents = new ScriptedAgents([
      streams(failure('overloaded', { httpStatus: 503 })),
      says('It is 42.'),
      says('ACCEPT'),
    ]);
    const events = await collect(runInput({ router, agents }));
    expect(ofType(events, 'dispatch_failed')).toMatchObject([
      { slot: 1, call: 1, code: 'overloaded', next: 'reselect', afterContent: false },
    ]);
    const decisions = ofType(events, 'routed').filter(({ turn }) => turn === 1);
    expect(decisions.map(({ decision }) => decision.slot)).toMatchObject([
      { raw: 1, effective: 1, reason: { kind: 'router' } },
      { raw: 1, effective: 0, reason: { kind: 'mask', over: 'router', cause: 'failed' } },
    ]);
    expect(router.requests).toHaveLength(2);
    expect(terminalOf(events)).toMatchObject({ status: 'accepted' });
  });

  it('fails the run when the second slot fails too', async () => {
    const router = new ScriptedRouter([logitsFor(1, 'Worker')]);
    const agents = new ScriptedAgents([streams(failure('first')), streams(failure('second'))]);
    const events = await collect(runInput({ router, agents }));
    expect(ofType(events, 'dispatch_failed').map(({ next }) => next)).toEqual(['reselect', 'end']);
    expect(terminalOf(events)).toMatchObject({ type: 'run_failed', code: 'second' });
    expect(agents.calls).toHaveLength(2);
  });

  it('fails the run with its partial text kept when text had been shown', async () => {
    const router = new ScriptedRouter([logitsFor(1, 'Worker')]);
    const agents = new ScriptedAgents([streams(delta('It is'), failure('socket'))]);
    const events = await collect(runInput({ router, agents }));
    expect(ofType(events, 'dispatch_failed')).toMatchObject([{ afterContent: true, next: 'end' }]);
    expect(ofType(events, 'turn_completed')).toMatchObject([{ text: 'It is', complete: false }]);
    expect(terminalOf(events)).toMatchObject({ type: 'run_failed', code: 'socket', answer: null });
  });

  it('counts a retry as a call and announces it', async () => {
    const router = workerThenVerifier();
    const agents = new ScriptedAgents([
      streams(
        { type: 'started', provider: 'p', model: 'm' },
        failure('limited', { retrying: true, httpStatus: 429 }),
        { type: 'started', provider: 'p', model: 'm' },
        delta('42'),
        finished(),
      ),
      says('ACCEPT'),
    ]);
    const events = await collect(runInput({ router, agents }));
    expect(ofType(events, 'dispatch_started').map(({ call }) => call)).toEqual([1, 2, 3]);
    expect(ofType(events, 'dispatch_failed')).toMatchObject([{ call: 1, next: 'retry' }]);
    expect(terminalOf(events)).toMatchObject({ status: 'accepted', answer: '42' });
  });

  it('is a failed call also when the agent throws or ends without a word', async () => {
    const router = new ScriptedRouter([logitsFor(1, 'Worker')]);
    const agents = new ScriptedAgents([
      () => {
        throw new Error('bug in the agent');
      },
      streams(),
    ]);
    const events = await collect(runInput({ router, agents }));
    expect(ofType(events, 'dispatch_failed').map(({ code }) => code)).toEqual([
      'agent_error',
      'stream_ended',
    ]);
  });
});

describe('a run that cannot go on', () => {
  it('asks neither router nor agent when every slot is masked', async () => {
    const agents = new ScriptedAgents([says('never')]);
    agents.masks = ['disabled', 'unhealthy', 'budget'];
    const router = workerThenVerifier();
    const events = await collect(runInput({ router, agents }));
    expect(terminalOf(events)).toMatchObject({ type: 'run_failed', code: 'no_agent_available' });
    expect(router.requests).toHaveLength(0);
    expect(agents.calls).toHaveLength(0);
  });

  it('ends with the code of the router that failed', async () => {
    const agents = new ScriptedAgents([says('never')]);
    const router = new ScriptedRouter([new Error('lost')]);
    const events = await collect(runInput({ router, agents }));
    expect(terminalOf(events)).toMatchObject({ type: 'run_failed', code: 'internal' });
  });

  it('refuses a temperature of zero', async () => {
    const agents = new ScriptedAgents([says('never')]);
    const events = await collect(
      runInput({
        router: workerThenVerifier(),
        agents,
        selection: { mode: 'sample', temperature: 0, seed: 1 },
      }),
    );
    expect(terminalOf(events)).toMatchObject({ type: 'run_failed', code: 'invalid_selection' });
  });

  it('refuses a pin beyond the slots of the router', async () => {
    const agents = new ScriptedAgents([says('never')]);
    const events = await collect(
      runInput({ router: workerThenVerifier(), agents, pins: { slot: 7 } }),
    );
    expect(terminalOf(events)).toMatchObject({ type: 'run_failed', code: 'invalid_pin' });
    expect(agents.calls).toHaveLength(0);
  });
});
