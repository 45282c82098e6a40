import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RouterState } from '../../contracts/app/models.ts';
import type { PrecisionMap, ProfileId } from '../../contracts/profiles.ts';
import { chatRouteDefaults, type RouteRequest } from '../../contracts/route.ts';
import { createRouterClient, RuntimeError } from '../../model-runtime/client.ts';
import type { ToProcess } from '../../model-runtime/process/protocol.ts';
import { ManualClock } from '../fakes/manual-clock.ts';
import { ScriptedLauncher, type ScriptedChild } from '../fakes/scripted-process.ts';
import { decisionOf } from '../fixtures/run-events.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-client-'));
});
afterEach(() => rm(folder, { recursive: true }));

const request: RouteRequest = {
  messages: [{ role: 'user', content: 'Hello' }],
  ...chatRouteDefaults,
};

/** Answers as a sound process does, reporting half of each build. */
function answer(message: ToProcess, child: ScriptedChild): void {
  const done = (result: unknown): void => child.say({ type: 'done', id: message.id, result });
  switch (message.type) {
    case 'load': {
      const { profile } = message.spec;
      done({ profile, adapterRef: 'a'.repeat(64), agentCount: 7, loadMs: 1, rssBytes: 2 });
      return;
    }
    case 'route':
      done({ logits: { ...decisionOf(), agentLogits: [1] }, rssBytes: 3 });
      return;
    case 'count_tokens':
      done(message.texts.map((text) => text.length));
      return;
    case 'build_demo':
    case 'prepare':
      child.say({ type: 'progress', id: message.id, done: 1, total: 2 });
      done(null);
      return;
    case 'probe':
      done(null);
      return;
    case 'cancel':
      child.say({
        type: 'failed',
        id: message.id,
        failure: { code: 'cancelled', retryable: true, message: 'Cancelled.' },
      });
  }
}

function setUp(onMessage: (message: ToProcess, child: ScriptedChild) => void = answer) {
  const messages: ToProcess[] = [];
  const launcher = new ScriptedLauncher({
    onMessage: (message, child) => {
      messages.push(message);
      onMessage(message, child);
    },
  });
  const clock = new ManualClock();
  const client = createRouterClient({
    launcher,
    clock,
    routersDirectory: join(folder, 'routers'),
    baseFolders: ['/bases'],
    cacheDirectory: join(folder, 'cache'),
  });
  return { client, launcher, clock, types: () => messages.map(({ type }) => type), messages };
}

/** Answers, but fails the messages that `isBad` names. */
function failing(
  code: string,
  isBad: (message: ToProcess) => boolean,
): (message: ToProcess, child: ScriptedChild) => void {
  return (message, child) => {
    if (!isBad(message)) return answer(message, child);
    const failure = { code, retryable: false, message: `It is broken (${code}).` };
    child.say({ type: 'failed', id: message.id, failure });
  };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (error instanceof RuntimeError ? error.code : String(error)),
  );
}

describe('the router client', () => {
  it('starts nothing when a router is chosen, and builds, loads and routes when asked', async () => {
    const { client, launcher, types } = setUp();
    const chosen = await client.select('demo', 'cpu-f32');
    expect(chosen).toMatchObject({ isDemo: true, profile: 'cpu-f32', phase: { state: 'idle' } });
    expect(launcher.started).toBe(0);
    const routed = await client.route(request);
    expect(routed.agentLogits).toEqual([1]);
    expect(types()).toEqual(['build_demo', 'load', 'route']);
    expect(client.state().phase).toEqual({ state: 'ready', loadMs: 1, rssBytes: 3 });
    await client.close();
    expect(launcher.alive).toBe(0);
  });

  it('counts the tokens of texts with the active router, loading it first', async () => {
    const { client, types } = setUp();
    await client.select('demo', 'cpu-f32');
    expect(await client.countTokens(['abc', ''])).toEqual([3, 0]);
    expect(types()).toEqual(['build_demo', 'load', 'count_tokens']);
    await client.close();
  });

  it('shows every watcher the state now and what becomes of it', async () => {
    const { client } = setUp();
    await client.select('demo', 'cpu-f32');
    const seen: RouterState['phase']['state'][] = [];
    const watching = (async () => {
      for await (const { phase } of client.watch()) {
        if (seen.at(-1) !== phase.state) seen.push(phase.state);
      }
    })();
    await client.load();
    await client.close();
    await watching;
    expect(seen).toEqual(['idle', 'building', 'loading', 'ready']);
  });

  it('ends a watch with its signal', async () => {
    const { client } = setUp();
    const controller = new AbortController();
    const seen: RouterState[] = [];
    for await (const state of client.watch(controller.signal)) {
      seen.push(state);
      controller.abort();
    }
    expect(seen).toHaveLength(1);
    await client.close();
  });

  it('refuses an unknown name and stays with what was chosen', async () => {
    const { client } = setUp();
    expect(await codeOf(client.route(request))).toBe('router_not_found');
    await client.select('demo', 'cpu-f32');
    for (const name of ['no-such-router', '', '..', './nowhere', '/nowhere/at/all']) {
      expect(await codeOf(client.select(name, 'cpu-f32'))).toBe('router_not_found');
    }
    expect(client.state().isDemo).toBe(true);
    await client.close();
  });

  it('prepares quantised weights before it loads them', async () => {
    const { client, types, messages } = setUp();
    await client.select('demo', 'cpu-8bit');
    await client.load();
    expect(types()).toEqual(['build_demo', 'prepare', 'load']);
    expect(messages.at(-1)).toMatchObject({
      spec: { profile: 'cpu-8bit', baseFolders: ['/bases'], cacheDirectory: join(folder, 'cache') },
    });
    await client.close();
  });

  it("takes a calibrated precision in place of the profile's own", async () => {
    const { client, types, messages } = setUp();
    const precision: PrecisionMap = {
      default: 'int8row',
      projections: { down_proj: 'block8' },
      exceptions: { '0.q_proj': 'f32' },
    };
    await client.select('demo', 'cpu-f32', { precision, baseFolders: ['/mine'] });
    await client.load();
    expect(types()).toEqual(['build_demo', 'prepare', 'load']);
    expect(messages.at(-1)).toMatchObject({
      spec: { precision, baseFolders: ['/mine', '/bases'] },
    });
    await client.close();
  });

  it('tells why a router cannot be prepared and tries again when asked again', async () => {
    let isBroken = true;
    const { client } = setUp(failing('build_failed', (m) => m.type === 'build_demo' && isBroken));
    await client.select('demo', 'cpu-f32');
    expect(await codeOf(client.route(request))).toBe('build_failed');
    expect(client.state().phase).toMatchObject({
      state: 'failed',
      failure: { code: 'build_failed', message: 'It is broken (build_failed).' },
    });
    isBroken = false;
    expect(await codeOf(client.route(request))).toBe('done');
    await client.close();
  });

  it('fails an aborted request at once, also while the router is being built', async () => {
    const { client } = setUp((message, child) => {
      if (message.type !== 'build_demo') answer(message, child);
    });
    await client.select('demo', 'cpu-f32');
    const controller = new AbortController();
    const routing = codeOf(client.route(request, { signal: controller.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await routing).toBe('cancelled');
    expect(await codeOf(client.route(request, { signal: controller.signal }))).toBe('cancelled');
    await client.close();
  });

  it('gives up one router before it loads another', async () => {
    const { client, launcher } = setUp((message, child) => {
      if (message.type !== 'route' || child.index > 1) answer(message, child);
    });
    await client.select('demo', 'cpu-f32');
    const waiting = codeOf(client.route(request));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await client.select('demo', 'cpu-f32');
    expect(await waiting).toBe('closed');
    expect(await codeOf(client.route(request))).toBe('done');
    expect(launcher.mostAlive).toBe(1);
    await client.close();
  });

  it('closes twice, also while it builds', async () => {
    const { client, launcher } = setUp((message, child) => {
      if (message.type !== 'build_demo') answer(message, child);
    });
    await client.select('demo', 'cpu-f32');
    const waiting = codeOf(client.load());
    await new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all([client.close(), client.close()]);
    expect(['closed', 'cancelled']).toContain(await waiting);
    expect(await codeOf(client.route(request))).toBe('closed');
    expect(await codeOf(client.select('demo', 'cpu-f32'))).toBe('closed');
    expect(launcher.alive).toBe(0);
  });
});

describe('a native provider', () => {
  const isNative = (message: ToProcess): boolean =>
    message.type === 'load' && message.spec.profile === 'webgpu';

  it('is tried in a process of its own, once, and used when it works', async () => {
    const { client, launcher, types } = setUp();
    await client.select('demo', 'webgpu');
    await client.route(request);
    await client.route(request);
    expect(types()).toEqual(['probe', 'build_demo', 'load', 'route', 'route']);
    expect(launcher.started).toBe(3);
    expect(client.state()).toMatchObject({ profile: 'webgpu', fallback: null });
    await client.close();
  });

  for (const [name, script] of [
    ['does not work', failing('profile_unavailable', (m) => m.type === 'probe')],
    [
      'takes the trying process with it',
      (m, child) => (m.type === 'probe' ? child.die() : answer(m, child)),
    ],
    ['fails to load', failing('load_failed', isNative)],
  ] satisfies [string, (message: ToProcess, child: ScriptedChild) => void][]) {
    it(`that ${name} leaves its work to the CPU, and that is said`, async () => {
      const { client } = setUp(script);
      await client.select('demo', 'webgpu');
      expect(await codeOf(client.route(request))).toBe('done');
      const { profile, fallback, phase } = client.state();
      expect(profile).toBe('cpu-f32');
      expect(fallback).toMatchObject({ from: 'webgpu', reason: expect.stringMatching(/\w+.*\./) });
      expect(phase.state).toBe('ready');
      const { availability } = (await client.profiles()).find(({ id }) => id === 'webgpu')!;
      expect(availability.state).toBe('unavailable');
      await client.close();
    });
  }

  it('that dies at work answers from the CPU, each request once', async () => {
    let isGpu = false;
    const { client } = setUp((message, child) => {
      if (message.type === 'load') isGpu = message.spec.profile === 'webgpu';
      if (message.type === 'route' && isGpu) child.die({ code: null, signal: 'SIGSEGV' });
      else answer(message, child);
    });
    await client.select('demo', 'webgpu');
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(client.route(request))));
    expect(outcomes).toEqual(['done', 'done', 'done']);
    expect(client.state().fallback?.reason).toContain('SIGSEGV');
    await client.close();
  });

  it('is known by what can be said without trying, until it is asked for', async () => {
    const { client, types } = setUp();
    const before = await client.profiles();
    const stateOf = (id: ProfileId): string =>
      before.find((profile) => profile.id === id)!.availability.state;
    expect(stateOf('cpu-f32')).toBe('available');
    expect(stateOf('webgpu')).toBe('unprobed');
    expect(types()).toEqual([]);
    const after = await client.profiles({ probe: true });
    expect(after.find(({ id }) => id === 'webgpu')!.availability.state).toBe('available');
    await client.close();
  });
});
