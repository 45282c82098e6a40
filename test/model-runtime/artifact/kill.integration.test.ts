import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRouter } from '../../../model-runtime/artifact/build.ts';
import { openRouterDirectory } from '../../../model-runtime/artifact/router-directory.ts';
import type { KillPoint } from './killed-build.ts';
import { runKilledBuild } from './run-killed-build.ts';
import { contents, openWorkbench, toolsFor, type Workbench } from './workbench.ts';

/** A few points of each kind; the long lane goes through all of them. */
const points: readonly (readonly [string, KillPoint])[] = [
  ['the first write, halfway', { operation: 'write', index: 0, when: 'half' }],
  ['a write of a part, halfway', { operation: 'write', index: 9, when: 'half' }],
  ['the fsync of a part', { operation: 'sync', index: 8, when: 'before' }],
  ['the rename of a part', { operation: 'rename', index: 4, when: 'before' }],
  [
    'just after the rename of the adapted layers',
    { operation: 'rename', index: 19, when: 'after' },
  ],
  ['the rename of the last manifest', { operation: 'rename', index: 21, when: 'before' }],
];

const state: { bench: Workbench; reference: Map<string, Buffer> } = {} as never;

beforeAll(async () => {
  state.bench = await openWorkbench();
  await buildRouter(state.bench.request(), toolsFor());
  state.reference = await contents(state.bench.request().out);
});
afterAll(() => state.bench.remove());

describe('a build killed inside', () => {
  it.each(points)('%s is no router, and goes on to the same bytes', async (_, at) => {
    const { bench, reference } = state;
    const { out } = bench.request();
    await rm(out, { recursive: true });
    expect(await runKilledBuild({ request: bench.request({ workers: 1 }), at })).toMatchObject({
      isKilled: true,
    });
    await expect(openRouterDirectory(out)).rejects.toThrowError();
    await buildRouter(bench.request(), toolsFor());
    expect(await contents(out)).toEqual(reference);
    expect(await readdir(bench.folder)).toEqual(['base', 'router', 'vector.safetensors']);
  });

  it('a forced build leaves the old router whole, and is gone on with', async () => {
    const { bench, reference } = state;
    const forced = bench.request({ dtype: 'F32', force: true, workers: 1 });
    const at = { operation: 'rename', index: 12, when: 'before' } as const;
    expect(await runKilledBuild({ request: forced, at })).toMatchObject({ isKilled: true });
    expect(await contents(bench.request().out)).toEqual(reference);
    const tools = toolsFor();
    const manifest = await buildRouter(forced, tools);
    expect(await openRouterDirectory(bench.request().out)).toEqual(manifest);
    const built = tools.events.filter(({ type }) => type === 'tensor_finished');
    expect(built.length).toBeLessThan(8);
    await expect(readdir(join(bench.folder))).resolves.toEqual([
      'base',
      'router',
      'vector.safetensors',
    ]);
  });
});
