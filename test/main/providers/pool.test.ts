import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../contracts/agents.ts';
import { ProviderError } from '../../../main/providers/failure.ts';
import type { Attempt } from '../../../main/providers/pool.ts';
import type { StreamEvent } from '../../../main/providers/wire/port.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { callOf, collect, shapeOf, slot, testPool } from './harness.ts';

const usage = {
  inputTokens: 10,
  cachedInputTokens: null,
  outputTokens: 5,
  reasoningTokens: null,
};
const ended: StreamEvent = {
  type: 'ended',
  finishReason: 'stop',
  usage,
  resolvedModel: null,
  requestId: null,
  skippedChunks: 0,
};

/** An attempt that yields what is listed, then fails or ends. */
function scripted(...runs: readonly (readonly (StreamEvent | ProviderError)[])[]): {
  attempt: Attempt;
  made: number;
} {
  const state = {
    made: 0,
    attempt: async function* (): AsyncGenerator<StreamEvent, void, void> {
      const run = runs[Math.min(state.made, runs.length - 1)] ?? [];
      state.made += 1;
      for (const step of run) {
        await Promise.resolve();
        if (step instanceof ProviderError) throw step;
        yield step;
      }
    },
  };
  return state;
}

const hello: StreamEvent = { type: 'text', text: 'hello' };
const lost = new ProviderError('connection_lost', 'x');

describe('a call', () => {
  it('is tried again until content was shown, each attempt announced', async () => {
    const script = scripted([lost], [hello, ended]);
    const { agents } = testPool({ bindings: [slot()], parts: { attempt: script.attempt } });
    const { events } = await collect(agents);
    expect(shapeOf(events)).toEqual([
      'started',
      'failed:connection_lost:retrying',
      'started',
      'text',
      'finished:stop',
    ]);
  });

  it.each(['text', 'reasoning'] as const)('is not tried again once %s was shown', async (type) => {
    const script = scripted([{ type, text: 'some' }, lost]);
    const { agents } = testPool({ bindings: [slot()], parts: { attempt: script.attempt } });
    const { events } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', type, 'failed:connection_lost']);
    expect(script.made).toBe(1);
  });

  it('makes no further attempt when it is stopped at the announcement of one', async () => {
    const script = scripted([lost]);
    const { agents } = testPool({ bindings: [slot()], parts: { attempt: script.attempt } });
    const stop = new AbortController();
    const seen: AgentEvent[] = [];
    for await (const event of agents.call(callOf(), stop.signal)) {
      seen.push(event);
      if (event.type === 'failed') stop.abort();
    }
    expect(script.made).toBe(1);
    expect(shapeOf(seen)).toEqual(['started', 'failed:connection_lost:retrying', 'failed:stopped']);
  });

  it('turns anything thrown into an event', async () => {
    const attempt: Attempt = () => {
      throw new TypeError('secret detail');
    };
    const { agents } = testPool({ bindings: [slot()], parts: { attempt } });
    const { last } = await collect(agents);
    expect(last).toMatchObject({ type: 'failed', code: 'internal' });
    expect(JSON.stringify(last)).not.toContain('secret detail');
  });

  it.each([
    ['no binding', [], 'slot_missing'],
    ['a slot that is switched off', [slot({ enabled: false })], 'slot_disabled'],
    ['an unknown provider', [slot({ provider: 'nobody' })], 'unknown_provider'],
    ['no base URL', [slot({ provider: 'openai-compatible' })], 'base_url_missing'],
    ['no key', [slot({ provider: 'anthropic' })], 'key_missing'],
  ] as const)('fails by name with %s, before any socket', async (_what, bindings, code) => {
    const { agents } = testPool({ bindings, agentCount: 1 });
    const { last } = await collect(agents);
    expect(last).toMatchObject({ type: 'failed', code, retrying: false });
  });
});

describe('permits', () => {
  it('let no more calls of a slot run than it allows, in order, and lose none', async () => {
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const attempt: Attempt = async function* (_binding, request) {
      running += 1;
      most = Math.max(most, running);
      order.push(request.turn);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
      yield hello;
      yield ended;
    };
    const { agents } = testPool({ bindings: [slot({ concurrency: 3 })], parts: { attempt } });
    const calls = Array.from({ length: 20 }, (_, turn) => collect(agents, callOf({ turn })));
    const results = await Promise.all(calls);
    expect(most).toBe(3);
    expect(order).toEqual(Array.from({ length: 20 }, (_, turn) => turn));
    expect(results.every(({ last }) => last.type === 'finished')).toBe(true);
  });

  it('are given back by a caller who walks away', async () => {
    const script = scripted([hello, hello, ended]);
    const { agents } = testPool({
      bindings: [slot({ concurrency: 1 })],
      parts: { attempt: script.attempt },
    });
    for await (const event of agents.call(callOf(), new AbortController().signal)) {
      if (event.type === 'delta') break;
    }
    expect((await collect(agents)).last.type).toBe('finished');
  });

  it('let everybody in at once when the limit is raised', async () => {
    let limit = 1;
    let running = 0;
    const attempt: Attempt = async function* (_binding, _request, signal) {
      running += 1;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield ended;
    };
    const { agents } = testPool({
      bindings: [],
      agentCount: 1,
      parts: { attempt, bindings: () => [slot({ concurrency: limit })] },
    });
    const stop = new AbortController();
    const calls = [1, 2, 3].map(() => collect(agents, callOf(), stop.signal));
    await expect.poll(() => running).toBe(1);
    limit = 4;
    calls.push(collect(agents, callOf(), stop.signal));
    await expect.poll(() => running).toBe(4);
    stop.abort();
    await Promise.all(calls);
  });

  it('are not waited for by a call that is stopped', async () => {
    const attempt: Attempt = async function* (_binding, _request, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield ended;
    };
    const { agents } = testPool({ bindings: [slot({ concurrency: 1 })], parts: { attempt } });
    const first = new AbortController();
    const second = new AbortController();
    const held = collect(agents, callOf(), first.signal);
    const waiting = collect(agents, callOf(), second.signal);
    second.abort();
    expect((await waiting).last).toMatchObject({ type: 'failed', code: 'stopped' });
    first.abort();
    await held;
  });
});

describe('the state of a slot', () => {
  const states = (agents: ReturnType<typeof testPool>['agents']) =>
    agents.slots().map(({ mask }) => mask);

  it('covers every agent of the router, bound or not', () => {
    const { agents } = testPool({
      bindings: [slot({ index: 1, parameters: { systemSuffix: 'Be brief.' } })],
      agentCount: 3,
    });
    expect(agents.count).toBe(3);
    expect(states(agents)).toEqual(['disabled', null, 'disabled']);
    expect(agents.slots()[1]).toMatchObject({
      provider: 'openai-compatible',
      model: 'test-model',
      systemSuffix: 'Be brief.',
      health: { state: 'untried' },
    });
  });

  it('opens after an error that lasts, closes again in time, and heals by a good call', async () => {
    const clock = new ManualClock();
    const script = scripted([new ProviderError('key_refused', 'x')], [hello, ended]);
    const { agents } = testPool({ bindings: [slot()], clock, parts: { attempt: script.attempt } });
    await collect(agents);
    expect(agents.slots()[0]).toMatchObject({
      mask: 'unhealthy',
      health: { state: 'failing', code: 'key_refused' },
    });
    clock.advance(15_000);
    expect(states(agents)).toEqual([null]);
    await collect(agents);
    expect(agents.slots()[0]?.health).toEqual({ state: 'healthy' });
  });

  it('opens after three passing errors in a row, for longer each time', () => {
    const clock = new ManualClock();
    const { health } = testPool({ bindings: [slot()], clock });
    health.failed(0, lost);
    health.failed(0, lost);
    expect(health.isCallable(0)).toBe(true);
    health.failed(0, lost);
    expect(health.isCallable(0)).toBe(false);
    clock.advance(15_000);
    expect(health.isCallable(0)).toBe(true);
    health.failed(0, lost);
    clock.advance(15_000);
    expect(health.isCallable(0)).toBe(false);
    clock.advance(15_000);
    expect(health.isCallable(0)).toBe(true);
  });

  it('is set aside for five minutes at most, however often it fails', () => {
    const clock = new ManualClock();
    const { health } = testPool({ bindings: [slot()], clock });
    const setAsideMs = Array.from({ length: 10 }, () => {
      health.failed(0, lost);
      const state = health.of(0);
      return 'until' in state ? state.until - clock.now() : 0;
    });
    expect(setAsideMs).toEqual([
      0, 0, 15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000,
    ]);
  });

  it.each([
    'stopped',
    'request_refused',
    'context_too_long',
    'answer_too_long',
    'slot_missing',
    'slot_disabled',
    'spending_cap',
    'price_unknown',
    'internal',
  ] as const)('is not touched by what was wrong with one request: %s', (code) => {
    const { health } = testPool({ bindings: [slot()] });
    for (let time = 0; time < 4; time += 1) health.failed(0, new ProviderError(code, 'x'));
    expect(health.of(0)).toEqual({ state: 'untried' });
    expect(health.isCallable(0)).toBe(true);
  });

  it('is busy only while another slot is free', async () => {
    const attempt: Attempt = async function* (_binding, _request, signal) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield ended;
    };
    const { agents } = testPool({
      bindings: [slot({ index: 0, concurrency: 1 }), slot({ index: 1, concurrency: 1 })],
      parts: { attempt },
    });
    const stop = new AbortController();
    const first = collect(agents, callOf({ slot: 0 }), stop.signal);
    await expect.poll(() => states(agents)).toEqual(['busy', null]);
    const second = collect(agents, callOf({ slot: 1 }), stop.signal);
    await expect.poll(() => states(agents)).toEqual([null, null]);
    stop.abort();
    await Promise.all([first, second]);
  });
});

describe('money', () => {
  const price = { inputUsdPerMillion: 1_000, outputUsdPerMillion: 2_000 };

  it('is counted by slot and month from the usage that came', async () => {
    const script = scripted([hello, ended]);
    const { agents, spending } = testPool({
      bindings: [slot({ price })],
      parts: { attempt: script.attempt },
    });
    const { last } = await collect(agents);
    expect(last).toMatchObject({ costUsd: 0.02, usage: { inputTokens: 10, outputTokens: 5 } });
    await collect(agents);
    expect(spending.totals()).toMatchObject([{ slot: 0, usd: 0.04, calls: 2, unpricedCalls: 0 }]);
  });

  it('of unknown price is unknown and counted apart', async () => {
    const script = scripted([hello, ended]);
    const { agents, spending } = testPool({
      bindings: [slot()],
      parts: { attempt: script.attempt },
    });
    expect((await collect(agents)).last).toMatchObject({ costUsd: null });
    expect(spending.totals()).toMatchObject([{ usd: 0, calls: 1, unpricedCalls: 1 }]);
  });

  it('is not spent beyond a cap: the worst case is refused before the attempt', async () => {
    const script = scripted([hello, ended]);
    const binding = slot({ price, parameters: { maxTokens: 100 }, monthlyCapUsd: 0.3 });
    const { agents, spending } = testPool({
      bindings: [binding],
      parts: { attempt: script.attempt },
    });
    expect((await collect(agents)).last.type).toBe('finished');
    spending.add({ slot: 0, usd: 0.1, inputTokens: null, outputTokens: null });
    expect((await collect(agents)).last).toMatchObject({ type: 'failed', code: 'spending_cap' });
    expect(script.made).toBe(1);
    spending.add({ slot: 0, usd: 0.3, inputTokens: null, outputTokens: null });
    expect(agents.slots()[0]?.mask).toBe('budget');
  });

  it('is not spent beyond a cap by calls that wait for one permit', async () => {
    const attempt: Attempt = async function* () {
      await new Promise((resolve) => setImmediate(resolve));
      yield hello;
      // $0.90: 10 tokens in at $0.01, 80 out at $0.01.
      yield { ...ended, usage: { ...usage, outputTokens: 80 } };
    };
    const { agents, spending } = testPool({
      bindings: [
        slot({
          price: { inputUsdPerMillion: 10_000, outputUsdPerMillion: 10_000 },
          parameters: { maxTokens: 20 },
          monthlyCapUsd: 1,
          concurrency: 1,
        }),
      ],
      parts: { attempt },
    });
    const brief = callOf({ view: { system: '', messages: [{ role: 'user', content: 'Hi' }] } });
    const calls = await Promise.all(Array.from({ length: 6 }, () => collect(agents, brief)));
    expect(calls.map(({ events }) => shapeOf(events).at(-1))).toEqual([
      'finished:stop',
      ...Array.from({ length: 5 }, () => 'failed:spending_cap'),
    ]);
    expect(spending.thisMonthUsd(0)).toBeCloseTo(0.9);
  });

  it('of open calls counts against a cap at its worst, until it is known', async () => {
    const waiting: (() => void)[] = [];
    const attempt: Attempt = async function* () {
      await new Promise<void>((resolve) => waiting.push(resolve));
      yield hello;
      yield ended;
    };
    // The worst case: 2 * 16 + 2 tokens in and 20 out, $0.54. Two of them are over $1, a known one and one are not.
    const { agents } = testPool({
      bindings: [
        slot({
          price: { inputUsdPerMillion: 10_000, outputUsdPerMillion: 10_000 },
          parameters: { maxTokens: 20 },
          monthlyCapUsd: 1,
        }),
      ],
      parts: { attempt },
    });
    const brief = callOf({ view: { system: '', messages: [{ role: 'user', content: 'Hi' }] } });
    const first = collect(agents, brief);
    await expect.poll(() => waiting.length).toBe(1);
    expect((await collect(agents, brief)).last).toMatchObject({ code: 'spending_cap' });
    waiting.shift()?.();
    expect((await first).last).toMatchObject({ type: 'finished', costUsd: 0.15 });
    const second = collect(agents, brief);
    await expect.poll(() => waiting.length).toBe(1);
    waiting.shift()?.();
    expect((await second).last.type).toBe('finished');
  });

  it('is given back to the cap by a call that failed before it cost anything', async () => {
    const script = scripted([new ProviderError('key_refused', 'x')], [hello, ended]);
    const { agents } = testPool({
      bindings: [slot({ price, parameters: { maxTokens: 100 }, monthlyCapUsd: 0.3 })],
      parts: { attempt: script.attempt },
    });
    expect((await collect(agents)).last).toMatchObject({ code: 'key_refused' });
    expect((await collect(agents)).last.type).toBe('finished');
  });

  describe('for an answer that broke off', () => {
    const words = (texts: readonly string[]) =>
      Promise.resolve(texts.map((text) => text.split(/\s+/).length));
    const told: StreamEvent = {
      type: 'broken_off',
      usage: { ...usage, inputTokens: 30, outputTokens: 1 },
      resolvedModel: null,
    };
    const bound = (steps: readonly (StreamEvent | ProviderError)[], capUsd?: number) =>
      testPool({
        bindings: [
          slot({
            price,
            parameters: { maxTokens: 100 },
            ...(capUsd === undefined ? {} : { monthlyCapUsd: capUsd }),
          }),
        ],
        parts: {
          attempt: scripted(steps).attempt,
          ...(capUsd === undefined ? { countTokens: words } : {}),
        },
      });

    it('is counted from what was asked and what came', async () => {
      const { agents, spending } = bound([{ type: 'text', text: 'one two three' }, lost]);
      expect((await collect(agents)).last).toMatchObject({ code: 'connection_lost' });
      expect(spending.totals()).toMatchObject([
        { calls: 1, inputTokens: 9, outputTokens: 3, usd: (9 * 1_000 + 3 * 2_000) / 1_000_000 },
      ]);
    });

    it('takes what the provider told, but not the beginning of its output for all of it', async () => {
      const { agents, spending } = bound([{ type: 'text', text: 'one two three' }, told, lost]);
      await collect(agents);
      expect(spending.totals()).toMatchObject([{ inputTokens: 30, outputTokens: 3 }]);
    });

    it('is spent when a person stops it', async () => {
      const { agents, spending } = bound([hello, hello, ended]);
      const stop = new AbortController();
      for await (const event of agents.call(callOf(), stop.signal)) {
        if (event.type === 'delta') stop.abort();
      }
      expect(spending.totals()).toMatchObject([{ calls: 1, inputTokens: 9, outputTokens: 1 }]);
    });

    it('is spent when the caller walks away', async () => {
      const { agents, spending } = bound([hello, hello, ended]);
      for await (const event of agents.call(callOf(), new AbortController().signal)) {
        if (event.type === 'delta') break;
      }
      expect(spending.totals()).toMatchObject([{ calls: 1, inputTokens: 9, outputTokens: 1 }]);
    });

    it('is the worst case under a cap when nobody can count it', async () => {
      const { agents, spending } = bound([hello, lost], 0.5);
      const worst = agents.estimateCost(callOf()).usd;
      await collect(agents);
      expect(worst).toBeGreaterThan(0.2);
      expect(spending.thisMonthUsd(0)).toBe(worst);
    });

    it('is nothing when none of it came', async () => {
      const { agents, spending } = bound([new ProviderError('key_refused', 'x')]);
      await collect(agents);
      expect(spending.totals()).toEqual([]);
    });
  });

  it('under a cap is refused where it cannot be estimated', async () => {
    const script = scripted([hello, ended]);
    const { agents } = testPool({
      bindings: [slot({ monthlyCapUsd: 5 })],
      parts: { attempt: script.attempt },
    });
    expect((await collect(agents)).last).toMatchObject({ type: 'failed', code: 'price_unknown' });
    expect(script.made).toBe(0);
  });

  it('is estimated from counted tokens where the provider sends no usage, and says so', async () => {
    const script = scripted([hello, { ...ended, usage: null }]);
    const { agents } = testPool({
      bindings: [slot({ price })],
      parts: {
        attempt: script.attempt,
        countTokens: (texts) => Promise.resolve(texts.map((text) => text.split(/\s+/).length)),
      },
    });
    const { last } = await collect(agents);
    expect(last).toMatchObject({ usage: { inputTokens: 9, outputTokens: 1, estimated: true } });
    expect(last).toMatchObject({ costUsd: (9 * 1_000 + 2_000) / 1_000_000 });
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no tokenizer'))],
    ['never answers', () => new Promise<never>(() => undefined)],
  ])('stays unknown when the counter %s', async (_how, countTokens) => {
    const clock = new ManualClock();
    const script = scripted([hello, { ...ended, usage: null }]);
    const { agents } = testPool({
      bindings: [slot({ price })],
      clock,
      parts: { attempt: script.attempt, countTokens },
    });
    const call = collect(agents);
    const ticking = setInterval(() => clock.advance(1_000), 1);
    expect((await call).last).toMatchObject({ type: 'finished', usage: null, costUsd: null });
    clearInterval(ticking);
  });

  it('is not counted for what costs nothing', async () => {
    const { agents } = testPool({
      bindings: [slot({ provider: 'rehearsal' })],
      parts: { countTokens: () => Promise.reject(new Error('must not be asked')) },
    });
    expect((await collect(agents)).last).toMatchObject({ usage: null, costUsd: 0 });
  });
});
