import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportRequest } from '../../contracts/build.ts';
import { buildRouter } from '../../model-runtime/artifact/build.ts';
import { runBuildRequest } from '../../model-runtime/artifact/run-request.ts';
import { gaussian } from '../fixtures/checkpoints/gaussian.ts';
import { smallShape } from '../fixtures/checkpoints/qwen3-checkpoint.ts';
import type {
  FileOperation,
  KillPoint,
  OperationCounts,
} from '../model-runtime/artifact/killed-build.ts';
import { runKilledBuild } from '../model-runtime/artifact/run-killed-build.ts';
import {
  contents,
  openWorkbench,
  toolsFor,
  type Workbench,
} from '../model-runtime/artifact/workbench.ts';
import { longSeed, scaled } from './scale.ts';

type Point = NonNullable<KillPoint>;

/** Every file operation of a build, with the ways to die in it. */
function operationPoints(counts: OperationCounts): Point[] {
  const each = (operation: FileOperation, when: 'before' | 'half' | 'after'): Point[] =>
    Array.from({ length: counts[operation] }, (_, index) => ({ operation, index, when }));
  return [
    ...each('open', 'before'),
    ...each('write', 'half'),
    ...each('sync', 'before'),
    ...each('rename', 'before'),
    ...each('rename', 'after'),
  ];
}

/** An even choice of `count` points, of every kind in turn. */
function spread<T>(points: readonly T[], count: number): T[] {
  const step = points.length / Math.min(count, points.length);
  const chosen = Array.from({ length: Math.min(count, points.length) }, (_, i) =>
    Math.floor(i * step),
  );
  return chosen.map((index) => points[index]!);
}

async function finish(request: ExportRequest): Promise<void> {
  const clock = { now: () => 0, monotonic: () => 0 };
  const signal = new AbortController().signal;
  await runBuildRequest(request, { clock, signal, emit: () => undefined });
}

async function leftovers(bench: Workbench): Promise<string[]> {
  const all = await readdir(bench.folder, { recursive: true });
  return all.filter((name) => /\.tmp$|\.lock|\.building|\.replaced|parts/.test(name));
}

describe('kill -9 inside a file operation', () => {
  const state: { bench: Workbench; reference: Map<string, Buffer> } = {} as never;
  beforeAll(async () => {
    state.bench = await openWorkbench();
  });
  afterAll(() => state.bench.remove());

  it('never costs a byte, wherever it strikes', async () => {
    const { bench } = state;
    const cacheDirectory = join(bench.folder, 'cache');
    const request = bench.request({ workers: 1, withLmHead: true, cacheDirectory });
    await rm(cacheDirectory, { recursive: true, force: true });
    const whole = await runKilledBuild({ request, at: null });
    if (whole.isKilled) throw new Error('a build without a kill point was killed');
    const reference = await contents(request.out);
    const all = operationPoints(whole.counts);
    const points = spread(all, scaled(all.length));
    const histogram: Record<string, number> = {};
    for (const at of points) {
      await rm(request.out, { recursive: true, force: true });
      await rm(cacheDirectory, { recursive: true, force: true });
      const place = JSON.stringify(at);
      expect(await runKilledBuild({ request, at }), place).toMatchObject({ isKilled: true });
      await finish(request);
      expect(await contents(request.out), place).toEqual(reference);
      expect(await leftovers(bench), place).toEqual([]);
      if ('operation' in at) {
        const key = `${at.operation} ${at.when}`;
        histogram[key] = (histogram[key] ?? 0) + 1;
      }
    }
    process.stdout.write(`kills by operation: ${JSON.stringify(histogram)}\n`);
  });

  it('while a router is replaced leaves the old one or the new one, never neither', async () => {
    const { bench } = state;
    const request = bench.request({ workers: 1 });
    const forced = bench.request({ workers: 1, dtype: 'F32', force: true });
    await rm(request.out, { recursive: true, force: true });
    await buildRouter(request, toolsFor());
    const old = await contents(request.out);
    const counted = await runKilledBuild({ request: forced, at: null });
    if (counted.isKilled) throw new Error('a build without a kill point was killed');
    const replaced = await contents(request.out);
    const renames = operationPoints({ ...counted.counts, open: 0, write: 0, sync: 0 });
    // The last two renames are the swap: always among the chosen.
    const swaps = renames.filter((at) => 'index' in at && at.index >= counted.counts.rename - 2);
    for (const at of [...swaps, ...spread(renames, scaled(renames.length))]) {
      await rm(request.out, { recursive: true, force: true });
      await buildRouter(request, toolsFor());
      expect(await runKilledBuild({ request: forced, at })).toMatchObject({ isKilled: true });
      const place = JSON.stringify(at);
      // A build without --force recovers the place, and refuses to touch what it finds there.
      const plain = await buildRouter(request, toolsFor()).catch((error: unknown) => error);
      const found = await contents(request.out);
      const isNew = found.get('manifest.json')?.equals(replaced.get('manifest.json')!) === true;
      expect(found, place).toEqual(isNew ? replaced : old);
      if (isNew) expect(plain).toMatchObject({ code: 'inputs_changed' });
      await buildRouter(forced, toolsFor());
      expect(await contents(request.out), place).toEqual(replaced);
      expect(await leftovers(bench), place).toEqual([]);
    }
  });
});

describe('kill -9 inside the arithmetic', () => {
  it('never costs a byte: twenty kills over Gram, eigen and apply', async () => {
    const shape = {
      ...smallShape,
      hiddenSize: 256,
      headDim: 64,
      feedForwardSize: 768,
      vocabSize: 20_000,
    };
    const bench = await openWorkbench(longSeed(), shape);
    try {
      const request = bench.request({ workers: 2, withLmHead: true });
      await buildRouter(request, toolsFor());
      const reference = await contents(request.out);
      const names = [
        'model.embed_tokens.weight',
        'model.layers.2.mlp.gate_proj.weight',
        'model.layers.2.mlp.down_proj.weight',
        'lm_head.weight',
      ];
      const next = gaussian(longSeed());
      const histogram: Record<string, number> = {};
      for (let kill = 0; kill < scaled(20); kill++) {
        const kind = (['gram', 'eigen', 'apply'] as const)[kill % 3]!;
        // The embedding is not multiplied out; a tied language head shares its decomposition.
        const among = names.slice(kind === 'apply' ? 1 : 0, kind === 'apply' ? 4 : 3);
        const tensor = among[kill % among.length]!;
        const fraction = Math.abs(Math.sin(next()));
        const at: KillPoint =
          kind === 'eigen'
            ? { stage: kind, tensor, fraction: 0, afterMs: 8 * fraction }
            : { stage: kind, tensor, fraction: 0.8 * fraction, afterMs: 0 };
        await rm(request.out, { recursive: true, force: true });
        const end = await runKilledBuild({ request, at });
        if (!end.isKilled) throw new Error(`${JSON.stringify(at)} did not kill the build`);
        // Where it struck, not where it was meant to: a timer may fire in a later stage.
        const stage = end.stage ?? 'between stages';
        histogram[stage] = (histogram[stage] ?? 0) + 1;
        await finish(request);
        expect(await contents(request.out), JSON.stringify(at)).toEqual(reference);
        expect(await leftovers(bench)).toEqual([]);
      }
      const stages = ['gram', 'eigen', 'apply'];
      if (scaled(20) === 20) expect(Object.keys(histogram)).toEqual(expect.arrayContaining(stages));
      process.stdout.write(`kills by stage: ${JSON.stringify(histogram)}\n`);
    } finally {
      await bench.remove();
    }
  });
});
