import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RouteLogits, RouteRequest } from '../../../contracts/route.ts';
import type { ProcessPhase } from '../../../model-runtime/process/loaded-process.ts';
import type { LoadSpec, ToProcess } from '../../../model-runtime/process/protocol.ts';
import { RouteSupervisor } from '../../../model-runtime/process/route-supervisor.ts';
import { RuntimeError } from '../../../model-runtime/runtime-error.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import {
  ScriptedLauncher,
  type ProcessScript,
  type ScriptedChild,
} from '../../fakes/scripted-process.ts';

const spec: LoadSpec = {
  directory: '/routers/demo',
  baseFolders: [],
  cacheDirectory: null,
  profile: 'cpu-f32',
};
const loaded = {
  profile: 'cpu-f32',
  adapterRef: 'a'.repeat(64),
  agentCount: 7,
  loadMs: 5,
  rssBytes: 1000,
};

/** Logits that carry the number in the request's text, so that answers can be told apart. */
function logitsFor(request: RouteRequest): RouteLogits {
  return {
    agentLogits: [Number(request.messages[0]!.content)],
    roleLogits: [1, 2, 3],
    tokenCount: 3,
    hiddenIndex: 1,
    window: { limit: null, omitted: 0, cut: 0 },
    reusedTokens: 0,
    timings: { queueMs: 0, tokenizeMs: 0, runMs: 0, totalMs: 0, chunks: 1 },
    profile: 'cpu-f32',
    adapterRef: 'a'.repeat(64),
    graphVersion: 1,
    tokenizer: 'typed',
    routedHash: `v1:${'b'.repeat(64)}`,
  };
}

function request(number: number): RouteRequest {
  return {
    messages: [{ role: 'user', content: String(number) }],
    windowTokens: null,
    messageCharacters: null,
  };
}

/** A child that answers everything. */
function answer(message: ToProcess, child: ScriptedChild): void {
  if (message.type === 'load') child.say({ type: 'done', id: message.id, result: loaded });
  if (message.type === 'route') {
    child.say({ type: 'progress', id: message.id, done: 1, total: 2 });
    const result = { logits: logitsFor(message.request), rssBytes: 2000 };
    child.say({ type: 'done', id: message.id, result });
  }
}

function setUp(script: ProcessScript, idleMs: number | null = null) {
  const clock = new ManualClock();
  const launcher = new ScriptedLauncher(script);
  const phases: ProcessPhase[] = [];
  const supervisor = new RouteSupervisor({
    launcher,
    clock,
    spec,
    idleMs,
    onPhase: (phase) => phases.push(phase),
  });
  return { clock, launcher, supervisor, phases };
}

/** Lets what has been sent arrive, moving the clock by `ms` at each of the steps. */
async function settle(clock: ManualClock, ms = 0, steps = 20): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(ms);
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof RuntimeError ? error.code : 'untyped'),
  );
}

describe('RouteSupervisor', () => {
  it('starts nothing before it is asked, loads once, and answers in order', async () => {
    const seen: string[] = [];
    const { supervisor, launcher, phases } = setUp({
      onMessage: (message, child) => {
        seen.push(message.type);
        answer(message, child);
      },
    });
    expect(launcher.started).toBe(0);
    const answers = await Promise.all([1, 2, 3].map((n) => supervisor.route(request(n))));
    expect(answers.map((logits) => logits.agentLogits[0])).toEqual([1, 2, 3]);
    expect(seen).toEqual(['load', 'route', 'route', 'route']);
    expect(phases.map((phase) => phase.state).slice(0, 2)).toEqual(['loading', 'ready']);
    await supervisor.close();
    expect(launcher.alive).toBe(0);
  });

  it('gives each request exactly one answer or one typed error, wherever a process dies', async () => {
    const deaths = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(deaths, fc.integer({ min: 1, max: 5 }), async (boundaries, requests) => {
        // Child n dies at its boundary n: before it is ready, at a message, or after any of its words.
        let boundary = 0;
        const pass = (child: ScriptedChild, say: () => void): void => {
          if (boundaries[child.index] === boundary) child.die();
          boundary += 1;
          say();
        };
        const { supervisor, clock, launcher } = setUp({
          onStart: (child) => {
            boundary = 0;
            pass(child, () => child.say({ type: 'ready' }));
          },
          onMessage: (message, child) => {
            pass(child, () => undefined);
            const guarded = { ...child, say: (m: unknown) => pass(child, () => child.say(m)) };
            answer(message, guarded);
          },
        });
        const counts = Array.from({ length: requests }, () => 0);
        const outcomes = counts.map((_, n) =>
          supervisor.route(request(n)).then(
            (logits) => {
              counts[n]! += 1;
              expect(logits.agentLogits).toEqual([n]);
            },
            (error: unknown) => {
              counts[n]! += 1;
              expect(error).toBeInstanceOf(RuntimeError);
            },
          ),
        );
        await settle(clock, 10_000, 150);
        await Promise.all(outcomes);
        expect(counts).toEqual(counts.map(() => 1));
        expect(launcher.mostAlive).toBe(1);
        await supervisor.close();
        expect(launcher.alive).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('tells only the running request of a death and gives the waiting ones to the next process', async () => {
    const { supervisor, clock, launcher, phases } = setUp({
      onMessage: (message, child) => {
        if (child.index === 0 && message.type === 'route') child.die();
        else answer(message, child);
      },
    });
    const first = codeOf(supervisor.route(request(1)));
    const second = supervisor.route(request(2));
    await settle(clock, 300);
    expect(await first).toBe('process_died');
    expect((await second).agentLogits).toEqual([2]);
    expect(launcher.started).toBe(2);
    expect(phases).toContainEqual({ state: 'restarting', attempt: 1 });
    await supervisor.close();
  });

  it('waits longer after each death', async () => {
    const { supervisor, clock, launcher } = setUp({
      onMessage: (message, child) => {
        if (message.type === 'load') child.die();
      },
    });
    const outcome = codeOf(supervisor.route(request(1)));
    await settle(clock);
    expect(launcher.started).toBe(1);
    clock.advance(249);
    await settle(clock);
    expect(launcher.started).toBe(1);
    clock.advance(1);
    await settle(clock);
    expect(launcher.started).toBe(2);
    clock.advance(499);
    await settle(clock);
    expect(launcher.started).toBe(2);
    clock.advance(1);
    await settle(clock);
    expect(launcher.started).toBe(3);
    expect(await outcome).toBe('load_failed');
    await supervisor.close();
  });

  it('says what can be done when a process is killed while loading', async () => {
    const { supervisor, clock } = setUp({
      onMessage: (message, child) => {
        if (message.type === 'load') child.die({ code: null, signal: 'SIGTRAP' });
      },
    });
    const outcome = supervisor.route(request(1)).catch((error: unknown) => error);
    await settle(clock, 1000, 40);
    expect(await outcome).toMatchObject({
      code: 'load_failed',
      message: expect.stringMatching(/SIGTRAP.*cpu-8bit.*browser host/),
    });
    await supervisor.close();
  });

  it('passes a refusal to load on, and tries again with the next request', async () => {
    let isBroken = true;
    const failure = { code: 'router_invalid', retryable: false, message: 'It is damaged.' };
    const { supervisor, launcher, phases } = setUp({
      onMessage: (message, child) => {
        if (message.type === 'load' && isBroken) {
          child.say({ type: 'failed', id: message.id, failure });
        } else answer(message, child);
      },
    });
    expect(await codeOf(supervisor.route(request(1)))).toBe('router_invalid');
    expect(phases.at(-1)).toMatchObject({ state: 'failed', error: { message: 'It is damaged.' } });
    isBroken = false;
    expect((await supervisor.route(request(2))).agentLogits).toEqual([2]);
    expect(launcher.started).toBe(1);
    await supervisor.close();
  });

  it('fails an aborted request at once and keeps the process when it notices', async () => {
    const seen: string[] = [];
    const { supervisor, clock, launcher } = setUp({
      onMessage: (message, child) => {
        seen.push(message.type);
        if (message.type === 'route' && message.request.messages[0]!.content === '1') return;
        if (message.type === 'cancel') {
          const failure = { code: 'cancelled', retryable: true, message: 'Cancelled.' };
          child.say({ type: 'failed', id: message.id, failure });
        } else answer(message, child);
      },
    });
    const controller = new AbortController();
    const stopped = codeOf(supervisor.route(request(1), { signal: controller.signal }));
    const next = supervisor.route(request(2));
    await settle(clock);
    controller.abort();
    expect(await stopped).toBe('cancelled');
    expect((await next).agentLogits).toEqual([2]);
    expect(seen).toEqual(['load', 'route', 'cancel', 'route']);
    expect(launcher.started).toBe(1);
    expect(clock.pendingTimers).toBe(0);
    await supervisor.close();
  });

  it('ends a process that does not answer a cancel within 3 seconds', async () => {
    const { supervisor, clock, launcher } = setUp({
      onMessage: (message, child) => {
        if (child.index === 0 && message.type !== 'load') return;
        answer(message, child);
      },
    });
    const controller = new AbortController();
    const stopped = codeOf(supervisor.route(request(1), { signal: controller.signal }));
    const next = supervisor.route(request(2));
    await settle(clock);
    controller.abort();
    expect(await stopped).toBe('cancelled');
    clock.advance(2_999);
    await settle(clock);
    expect(launcher.alive).toBe(1);
    clock.advance(1);
    await settle(clock, 300);
    expect((await next).agentLogits).toEqual([2]);
    expect(launcher.started).toBe(2);
    await supervisor.close();
  });

  it('does not count loading against a cancel', async () => {
    const { supervisor, clock, launcher } = setUp({ onMessage: () => undefined });
    const controller = new AbortController();
    const stopped = codeOf(supervisor.route(request(1), { signal: controller.signal }));
    await settle(clock);
    controller.abort();
    expect(await stopped).toBe('cancelled');
    clock.advance(60_000);
    await settle(clock);
    expect(launcher.alive).toBe(1);
    await supervisor.close();
  });

  it('notices a run that hangs, and one that goes on', async () => {
    const { supervisor, clock } = setUp({
      onMessage: (message, child) => {
        if (message.type === 'load') answer(message, child);
        else child.say({ type: 'progress', id: message.id, done: 1, total: 9 });
      },
    });
    const outcome = codeOf(supervisor.route(request(1)));
    await settle(clock);
    clock.advance(59_999);
    expect(await Promise.race([outcome, 'waiting'])).toBe('waiting');
    clock.advance(1);
    expect(await outcome).toBe('process_hung');
    await supervisor.close();
  });

  it('ends the process when it idles and starts it again when asked', async () => {
    const { supervisor, clock, launcher, phases } = setUp({ onMessage: answer }, 1_000);
    await supervisor.route(request(1));
    await settle(clock);
    clock.advance(1_000);
    await settle(clock);
    expect(launcher.alive).toBe(0);
    expect(phases.at(-1)).toEqual({ state: 'idle' });
    expect((await supervisor.route(request(2))).agentLogits).toEqual([2]);
    expect(launcher.started).toBe(2);
    await supervisor.close();
  });

  it('notices a death between requests and loads again by itself', async () => {
    const children: ScriptedChild[] = [];
    const { supervisor, clock, launcher, phases } = setUp({
      onMessage: (message, child) => {
        children.push(child);
        answer(message, child);
      },
    });
    await supervisor.load();
    children[0]!.die();
    await settle(clock, 300);
    expect(launcher.started).toBe(2);
    expect(phases.map((phase) => phase.state)).toEqual([
      'loading',
      'ready',
      'restarting',
      'loading',
      'ready',
    ]);
    await supervisor.close();
  });

  it('closes twice, and fails what waits, runs and comes later', async () => {
    const { supervisor, clock } = setUp({
      onMessage: (message, child) => {
        if (message.type === 'load') answer(message, child);
      },
    });
    const outcomes = [1, 2].map((n) => codeOf(supervisor.route(request(n))));
    await settle(clock);
    await Promise.all([supervisor.close(), supervisor.close()]);
    expect(await Promise.all(outcomes)).toEqual(['closed', 'closed']);
    expect(await codeOf(supervisor.route(request(3)))).toBe('closed');
  });

  it('kills a process that talks nonsense', async () => {
    const { supervisor, launcher } = setUp({
      onMessage: (message, child) => {
        if (message.type === 'load') answer(message, child);
        else child.say({ type: 'done' });
      },
    });
    expect(await codeOf(supervisor.route(request(1)))).toBe('protocol');
    await supervisor.close();
    expect(launcher.alive).toBe(0);
  });
});
