import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessLauncher } from '../../contracts/ports.ts';
import { chatRouteDefaults, type RouteRequest } from '../../contracts/route.ts';
import { createForkLauncher } from '../../main/hosts/fork-launcher.ts';
import { createSystemClock } from '../../main/hosts/system-clock.ts';
import {
  createRouterClient,
  RuntimeError,
  type RouterClient,
  type RouterClientOptions,
} from '../../model-runtime/client.ts';

/** Its name has spaces and other scripts: such have broken programs before. */
let folder: string;
let routers: string;
const clients: RouterClient[] = [];
let pids: number[] = [];

/** The real launcher, remembering whom it started. */
function recording(launcher: ProcessLauncher): ProcessLauncher {
  return {
    launch: (entry, args) => {
      const child = launcher.launch(entry, args);
      if (child.pid !== undefined) pids.push(child.pid);
      return child;
    },
  };
}

function open(over: Partial<RouterClientOptions> = {}): RouterClient {
  const client = createRouterClient({
    launcher: recording(createForkLauncher({ env: process.env })),
    clock: createSystemClock(),
    routersDirectory: routers,
    baseFolders: [],
    cacheDirectory: join(folder, 'cache'),
    ...over,
  });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity client ü 试 '));
  routers = join(folder, 'routers');
  const client = open();
  await client.select('demo', 'cpu-f32');
  await client.load();
  await client.close();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  pids = [];
});
afterAll(() => rm(folder, { recursive: true }));

function request(content: string, over: Partial<RouteRequest> = {}): RouteRequest {
  return { messages: [{ role: 'user', content }], ...chatRouteDefaults, ...over };
}

/** About 20,000 tokens: seconds of work, in 156 chunks. */
const long = request('word '.repeat(19_900), { windowTokens: null, messageCharacters: null });

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof RuntimeError ? error.code : String(error)),
  );

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Resolves once a chunk has been run. */
function progressOf(
  client: RouterClient,
  asked: RouteRequest,
  signal?: AbortSignal,
): { outcome: Promise<string>; begun: Promise<void> } {
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const options = signal === undefined ? { onProgress: begin } : { onProgress: begin, signal };
  return { outcome: codeOf(client.route(asked, options)), begun };
}

describe('the client over real processes', () => {
  it('routes the same on every CPU profile, from a path with spaces and other scripts', async () => {
    const chosen: number[] = [];
    for (const profile of ['cpu-f32', 'cpu-8bit', 'cpu-int8'] as const) {
      const client = open();
      await client.select('demo', profile);
      const { roleLogits, profile: used } = await client.route(request('What is 17 + 25?'));
      expect(used).toBe(profile);
      chosen.push(roleLogits.indexOf(Math.max(...roleLogits)));
      await client.close();
    }
    expect(chosen).toEqual([0, 0, 0]);
    expect(pids.some(isAlive)).toBe(false);
  });

  it('cancels between chunks and goes on in the same process', async () => {
    const client = open();
    await client.select('demo', 'cpu-f32');
    await client.load();
    const controller = new AbortController();
    const { outcome, begun } = progressOf(client, long, controller.signal);
    await begun;
    controller.abort();
    expect(await outcome).toBe('cancelled');
    expect(await codeOf(client.route(request('Hello')))).toBe('answered');
    expect(pids).toHaveLength(1);
  });

  it('notices a kill -9 in the middle of a run, tells that request and serves the next', async () => {
    const client = open();
    await client.select('demo', 'cpu-f32');
    await client.load();
    const { outcome, begun } = progressOf(client, long);
    const next = codeOf(client.route(request('Hello')));
    await begun;
    process.kill(pids[0]!, 'SIGKILL');
    expect(await outcome).toBe('process_died');
    expect(await next).toBe('answered');
    expect(pids).toHaveLength(2);
  });

  it('ends its process when it idles, and starts another when asked', async () => {
    const client = open({ idleMs: 50 });
    await client.select('demo', 'cpu-f32');
    await client.load();
    await until(() => !isAlive(pids[0]!));
    expect(client.state().phase).toEqual({ state: 'idle' });
    expect(await codeOf(client.route(request('Hello')))).toBe('answered');
  });

  it('starts where ONNX Runtime cannot be loaded, and says why nothing can be routed', async () => {
    const entry = fileURLToPath(new URL('../fixtures/broken-native-process.ts', import.meta.url));
    const lines: string[] = [];
    const client = open({
      launcher: createForkLauncher({ env: process.env, entries: { route: entry } }),
      onLog: (line) => lines.push(line),
    });
    await client.select('demo', 'cpu-f32');
    const failure = await client.route(request('Hello')).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'native_unavailable',
      message: expect.stringContaining('libonnxruntime.so.1: cannot open shared object file'),
    });
    expect(client.state().phase).toMatchObject({ state: 'failed' });
    await until(() => lines.length > 0);
    expect(lines).toEqual(['native: library is missing']);
    expect((await client.list()).map(({ id }) => id)).toEqual(['demo']);
  });

  it('finds a base by content in a Hugging Face cache, behind links', async () => {
    const own = join(routers, 'apart');
    const hub = join(folder, 'hub');
    const snapshot = join(hub, 'models--a--b', 'snapshots', 'c1');
    const blobs = join(hub, 'models--a--b', 'blobs');
    await cp(join(routers, 'demo'), own, { recursive: true });
    await mkdir(snapshot, { recursive: true });
    await mkdir(blobs);
    for (const name of ['model.safetensors', 'config.json', 'tokenizer.json']) {
      await rename(join(own, name), join(blobs, `${name}-blob`));
      await symlink(join('..', '..', 'blobs', `${name}-blob`), join(snapshot, name));
    }
    const without = open();
    await without.select('apart', 'cpu-f32');
    expect(await codeOf(without.route(request('Hello')))).toBe('base_not_found');
    const client = open({ baseFolders: [hub] });
    await client.select('apart', 'cpu-f32');
    const { adapterRef } = await client.route(request('Hello'));
    expect(adapterRef).toBe((await client.list()).find(({ id }) => id === 'demo')!.adapterRef);
  });

  it('routes through a checkpoint with a head beside it, named by its path', async () => {
    const plain = join(folder, 'plain');
    await mkdir(plain);
    for (const name of await readdir(join(routers, 'demo'))) {
      if (name !== 'manifest.json') await cp(join(routers, 'demo', name), join(plain, name));
    }
    const client = open();
    await client.select(plain, 'cpu-f32');
    const demo = open();
    await demo.select('demo', 'cpu-f32');
    const routed = await client.route(request('Hello'));
    expect(routed.agentLogits).toEqual((await demo.route(request('Hello'))).agentLogits);
    expect(client.state().isDemo).toBe(false);
  });
});
