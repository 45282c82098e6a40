import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessLauncher } from '../../contracts/ports.ts';
import { chatRouteDefaults } from '../../contracts/route.ts';
import { createForkLauncher } from '../../main/hosts/fork-launcher.ts';
import { createSystemClock } from '../../main/hosts/system-clock.ts';
import { createRouterClient, RuntimeError } from '../../model-runtime/client.ts';
import { longSeed, scaled, seededUniform } from './scale.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-kills-'));
});
afterAll(() => rm(folder, { recursive: true }));

function open(launcher: ProcessLauncher, routersDirectory: string) {
  return createRouterClient({
    launcher,
    clock: createSystemClock(),
    routersDirectory,
    baseFolders: [],
    cacheDirectory: join(folder, 'cache'),
  });
}

describe('route processes', () => {
  it('killed at random moments cost a request an error at most, never its answer twice', async () => {
    const next = seededUniform(longSeed());
    const rounds = scaled(40);
    const alive = new Set<number>();
    const real = createForkLauncher({ env: process.env });
    const launcher: ProcessLauncher = {
      launch: (entry, args) => {
        const child = real.launch(entry, args);
        if (child.pid !== undefined) alive.add(child.pid);
        child.onExit(() => alive.delete(child.pid ?? -1));
        return child;
      },
    };
    const client = open(launcher, join(folder, 'routers'));
    await client.select('demo', 'cpu-f32');
    await client.load();
    let isOver = false;
    const killing = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, next() * 4_000));
        for (const pid of alive) process.kill(pid, 'SIGKILL');
      }
    })();
    const counts = { answered: 0, failed: 0 };
    for (let round = 0; round < rounds; round += 1) {
      const outcomes = await Promise.all(
        [0, 1, 2].map((n) =>
          client
            .route({
              messages: [{ role: 'user', content: `round ${round} ${'word '.repeat(n * 800)}` }],
              ...chatRouteDefaults,
              cacheKey: `conversation ${n}`,
            })
            .then(
              () => 'answered' as const,
              (error: unknown) => {
                expect(error).toBeInstanceOf(RuntimeError);
                return 'failed' as const;
              },
            ),
        ),
      );
      for (const outcome of outcomes) counts[outcome] += 1;
    }
    isOver = true;
    await killing;
    await client.close();
    process.stderr.write(`route-process-kills: ${JSON.stringify(counts)}\n`);
    expect(counts.answered + counts.failed).toBe(3 * rounds);
    expect(counts.answered).toBeGreaterThan(0);
    expect(alive.size).toBe(0);
  });

  it('of two programs that need the demo at the same time build it once between them', async () => {
    const routers = join(folder, 'shared');
    const clients = [0, 1].map(() => open(createForkLauncher({ env: process.env }), routers));
    for (const client of clients) await client.select('demo', 'cpu-f32');
    const states = await Promise.all(clients.map((client) => client.load()));
    expect(states.map(({ phase }) => phase.state)).toEqual(['ready', 'ready']);
    expect(await readdir(routers)).toEqual(['demo']);
    for (const client of clients) await client.close();
  });
});
