import {
  copyFile,
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  unlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RouterManifest } from '../../../contracts/manifest.ts';
import { decompositionFolder } from '../../../model-runtime/adaptation/decomposition-cache.ts';
import { WorkerPool } from '../../../model-runtime/adaptation/worker-pool.ts';
import { buildRouter } from '../../../model-runtime/artifact/build.ts';
import { lockDirectory } from '../../../model-runtime/artifact/directory-lock.ts';
import { openRouterDirectory } from '../../../model-runtime/artifact/router-directory.ts';
import type { FileOperations } from '../../../model-runtime/weights/atomic-file.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import { writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { contents, inPlace, openWorkbench, toolsFor, vectorOf, writeVector } from './workbench.ts';
import type { Workbench } from './workbench.ts';

const state: { bench: Workbench; reference: Map<string, Buffer> } = {} as never;
const layer = (part: string) => `model.layers.2.${part}.weight`;
const queryName = layer('self_attn.q_proj');
const failure = (code: string, text: string | RegExp = '') =>
  expect.objectContaining({ code, message: expect.stringMatching(text) });

beforeAll(async () => {
  state.bench = await openWorkbench();
  await buildRouter(state.bench.request(), toolsFor());
  state.reference = await contents(state.bench.request().out);
});
beforeEach(async () => {
  await rm(state.bench.request().out, { recursive: true, force: true });
});
afterAll(() => state.bench.remove());

describe('a built router', () => {
  it('is a complete directory that the runtime opens, and nothing else', async () => {
    const { bench } = state;
    const manifest = await buildRouter(bench.request(), toolsFor());
    expect(await openRouterDirectory(bench.request().out)).toEqual(manifest);
    expect([...state.reference.keys()]).toEqual([
      'adapted.safetensors',
      'embed_m.safetensors',
      'manifest.json',
      'router_head.safetensors',
      'singular_values.safetensors',
    ]);
    expect(await readdir(bench.folder)).toEqual(['base', 'router', 'vector.safetensors']);
  });

  it('says in its manifest what was done to each tensor', async () => {
    const { bench } = state;
    const manifest = JSON.parse(state.reference.get('manifest.json')!.toString()) as RouterManifest;
    expect(manifest).toMatchObject({ status: 'complete', kind: 'built', agents: { count: 7 } });
    const { tensors } = manifest.adaptation;
    expect(tensors.map(({ name, offsets, status }) => [name, ...offsets, status])).toEqual([
      ['model.embed_tokens.weight', 0, 64, 'complete'],
      [queryName, 64, 128, 'complete'],
      [layer('self_attn.k_proj'), 128, 160, 'complete'],
      [layer('self_attn.v_proj'), 160, 192, 'complete'],
      [layer('self_attn.o_proj'), 192, 256, 'complete'],
      [layer('mlp.gate_proj'), 256, 320, 'complete'],
      [layer('mlp.up_proj'), 320, 384, 'complete'],
      [layer('mlp.down_proj'), 384, 448, 'complete'],
      ['lm_head.weight', 448, 512, 'skipped'],
    ]);
    const query = tensors[1]!;
    const span = bench.vector.subarray(64, 128);
    expect(query.offsetsL1).toBeCloseTo(
      span.reduce((sum, d) => sum + Math.abs(d), 0),
      12,
    );
    expect(query.singularValues?.count).toBe(64);
    expect(query.c).toBeGreaterThan(0.9);
  });

  it('is the same byte for byte with any number of workers', async () => {
    const { bench, reference } = state;
    for (const width of [1, 3]) {
      const pool = new WorkerPool(width);
      try {
        await buildRouter(bench.request(), toolsFor({ runner: pool }));
      } finally {
        await pool.close();
      }
      expect(await contents(bench.request().out)).toEqual(reference);
      await rm(bench.request().out, { recursive: true });
    }
  });

  it('is left as it is when it is built again', async () => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    const tasks: string[] = [];
    const runner = inPlace((kind) => tasks.push(kind));
    await buildRouter(bench.request(), toolsFor({ runner }));
    expect(tasks).toEqual([]);
    expect(await contents(bench.request().out)).toEqual(reference);
  });

  it('reports progress that only grows, its tensors, and its end', async () => {
    const tools = toolsFor({ clock: { now: () => 0, monotonic: tick() } });
    await buildRouter(state.bench.request(), tools);
    const fractions = tools.events.flatMap((event) =>
      event.type === 'progress' ? [event.fraction] : [],
    );
    expect(fractions.length).toBeGreaterThan(20);
    expect(fractions.at(-1)).toBe(1);
    expect(tools.events.filter(({ type }) => type === 'tensor_finished')).toHaveLength(8);
    expect(tools.events[0]?.type).toBe('progress');
    expect(tools.events.at(-1)).toMatchObject({
      type: 'finished',
      manifest: { status: 'complete' },
    });
  });
});

function tick(): () => number {
  let now = 0;
  return () => (now += 60);
}

describe('a build that goes on', () => {
  it('rebuilds a damaged file, and only what was in it', async () => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    const path = join(bench.request().out, 'adapted.safetensors');
    const bytes = Buffer.from(reference.get('adapted.safetensors')!);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    const tasks: string[] = [];
    const runner = inPlace((kind) => tasks.push(kind));
    await buildRouter(bench.request(), toolsFor({ runner }));
    expect(tasks.filter((kind) => kind === 'eigen')).toHaveLength(1);
    expect(await contents(bench.request().out)).toEqual(reference);
  });

  it.each([
    ['missing', (path: string) => rm(path)],
    ['truncated', (path: string) => truncate(path, 100)],
    ['empty', (path: string) => truncate(path, 0)],
  ])('restores every file that is %s', async (_, damage) => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    for (const name of reference.keys()) {
      if (name === 'manifest.json') continue;
      await damage(join(bench.request().out, name));
      await buildRouter(bench.request(), toolsFor());
      expect(await contents(bench.request().out), name).toEqual(reference);
    }
  });

  it('starts with one tensor, stays partial, and then completes to the same bytes', async () => {
    const { bench, reference } = state;
    const partial = await buildRouter(bench.request({ onlyTensor: queryName }), toolsFor());
    expect(partial?.status).toBe('partial');
    await expect(openRouterDirectory(bench.request().out)).rejects.toThrowError(/not finished/);
    const tools = toolsFor();
    await buildRouter(bench.request(), tools);
    const built = tools.events.flatMap((event) =>
      event.type === 'tensor_finished' ? [event.tensor] : [],
    );
    expect(built).toHaveLength(7);
    expect(built).not.toContain(queryName);
    expect(await contents(bench.request().out)).toEqual(reference);
  });

  it('that was stopped goes on to the same bytes', async () => {
    const { bench, reference } = state;
    const stop = new AbortController();
    let combined = 0;
    const runner = inPlace((kind) => {
      if (kind === 'combine' && ++combined === 4) stop.abort();
    });
    await expect(
      buildRouter(bench.request(), toolsFor({ runner, signal: stop.signal })),
    ).rejects.toThrowError(failure('cancelled'));
    await buildRouter(bench.request(), toolsFor());
    expect(await contents(bench.request().out)).toEqual(reference);
  });

  it('adds the language head to a router that was built without it', async () => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    const manifest = await buildRouter(bench.request({ withLmHead: true }), toolsFor());
    expect(manifest?.files.map(({ path }) => path)).toContain('lm_head.safetensors');
    const before = JSON.parse(reference.get('manifest.json')!.toString()) as RouterManifest;
    expect(manifest?.adapterRef).toBe(before.adapterRef);
    const at = join(bench.request().out, 'lm_head.safetensors');
    const whole = await readFile(at);
    await truncate(at, 5000);
    await buildRouter(bench.request({ withLmHead: true }), toolsFor());
    expect(await readFile(at)).toEqual(whole);
  });
});

describe('a build with other inputs', () => {
  it.each([
    [
      'the vector',
      async (bench: Workbench) => ({
        vector: await writeVector(bench.folder, 'other', vectorOf(6)),
      }),
    ],
    [
      "the base's model.safetensors",
      async (bench: Workbench) => {
        const other = join(bench.folder, 'other-base');
        await mkdir(other, { recursive: true });
        for (const name of ['config.json', 'tokenizer.json']) {
          await copyFile(join(bench.base.folder, name), join(other, name));
        }
        const weights = await readFile(join(bench.base.folder, 'model.safetensors'));
        weights[weights.length - 2]! ^= 1;
        await writeFile(join(other, 'model.safetensors'), weights);
        return { base: other };
      },
    ],
    ['the reading of the embedding', async () => ({ embedding: 'overwritten' as const })],
    ['the form of .*q_proj.*F32', async () => ({ dtype: 'F32' as const })],
    ['the labels', async () => ({ labels: [...'abcdefg'] })],
    ['the selected tensors', async () => ({ layers: [1] })],
  ])('is refused and says that %s changed', async (text, change) => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    await expect(buildRouter(bench.request(await change(bench)), toolsFor())).rejects.toThrowError(
      failure('inputs_changed', new RegExp(`changed: .*${text}`)),
    );
    expect(await contents(bench.request().out)).toEqual(reference);
    await rm(join(bench.folder, 'other-base'), { recursive: true, force: true });
    await rm(join(bench.folder, 'other.safetensors'), { force: true });
  });

  it('is refused for other layers by what is there and what is asked for', async () => {
    const { bench } = state;
    await buildRouter(bench.request(), toolsFor());
    await expect(buildRouter(bench.request({ layers: [1] }), toolsFor())).rejects.toThrowError(
      failure(
        'inputs_changed',
        /\(asked for and not there: the 7 tensors of layer 1; there and not asked for: the 7 tensors of layer 2\)\. /,
      ),
    );
  });

  it('replaces the router when forced, and only at its end', async () => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    const out = bench.request().out;
    const during: Buffer[] = [];
    const runner = inPlace(() => undefined);
    const watching = {
      width: 2,
      run: (async (task, options) => {
        during.push(await readFile(join(out, 'manifest.json')));
        return runner.run(task, options);
      }) as typeof runner.run,
    };
    const forced = bench.request({ embedding: 'compounded', force: true });
    const manifest = await buildRouter(forced, toolsFor({ runner: watching }));
    expect(new Set(during.map(String)).size).toBe(1);
    expect(during[0]).toEqual(reference.get('manifest.json'));
    expect(await openRouterDirectory(out)).toEqual(manifest);
    expect(manifest?.adaptation.embedding).toBe('compounded');
    expect(await readdir(bench.folder)).toEqual(['base', 'router', 'vector.safetensors']);
  });

  it('forced and stopped leaves the router that is there, and goes on later', async () => {
    const { bench, reference } = state;
    await buildRouter(bench.request(), toolsFor());
    const stop = new AbortController();
    let grams = 0;
    const runner = inPlace((kind) => {
      if (kind === 'gram' && ++grams === 3) stop.abort();
    });
    const forced = bench.request({ dtype: 'F32', force: true });
    await expect(
      buildRouter(forced, toolsFor({ runner, signal: stop.signal })),
    ).rejects.toThrowError(failure('cancelled'));
    expect(await contents(bench.request().out)).toEqual(reference);
    const other = bench.request({ dtype: 'F32', embedding: 'overwritten', force: true });
    const manifest = await buildRouter(other, toolsFor());
    expect(await openRouterDirectory(bench.request().out)).toEqual(manifest);
    expect(await readdir(bench.folder)).toEqual(['base', 'router', 'vector.safetensors']);
  });
});

describe('decompositions', () => {
  it('are kept by the matrix alone, so that another vector needs none', async () => {
    const { bench, reference } = state;
    const folder = join(bench.folder, 'decompositions');
    const decompositions = decompositionFolder(folder);
    await buildRouter(bench.request(), toolsFor({ decompositions }));
    const tasks: string[] = [];
    const runner = inPlace((kind) => tasks.push(kind));
    const other = await writeVector(bench.folder, 'other', vectorOf(6));
    await buildRouter(
      bench.request({ vector: other, force: true }),
      toolsFor({ decompositions, runner }),
    );
    expect(tasks.filter((kind) => kind === 'gram' || kind === 'eigen')).toEqual([]);
    await buildRouter(bench.request({ force: true }), toolsFor({ decompositions, runner }));
    expect(await contents(bench.request().out)).toEqual(reference);

    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name));
      bytes[bytes.length - 3]! ^= 0x10;
      await writeFile(join(folder, name), bytes);
    }
    await buildRouter(bench.request({ force: true }), toolsFor({ decompositions, runner }));
    expect(tasks.filter((kind) => kind === 'eigen')).toHaveLength(8);
    expect(await contents(bench.request().out)).toEqual(reference);
    await rm(folder, { recursive: true });
    await rm(other);
  });
});

describe('the readings of the embedding', () => {
  async function embeddingMap(embedding: 'untied' | 'overwritten' | 'compounded') {
    const { bench } = state;
    const request = bench.request({ embedding, out: join(bench.folder, `r-${embedding}`) });
    await buildRouter(request, toolsFor());
    const file = await SafetensorsFile.open(join(request.out, 'embed_m.safetensors'));
    const m = await file.readF32('embed_m', [64, 64]);
    await file.close();
    await rm(request.out, { recursive: true });
    return m;
  }

  it('differ, and each is the one its name says', async () => {
    const { bench } = state;
    const swapped = vectorOf(5);
    swapped.set(bench.vector.subarray(448, 512), 0);
    const untied = await embeddingMap('untied');
    const overwritten = await embeddingMap('overwritten');
    const compounded = await embeddingMap('compounded');
    expect(untied).not.toEqual(overwritten);
    // Compounded is the product of both maps, up to its normalisation: they share their eigenvectors.
    let scale = 0;
    let error = 0;
    for (let i = 0; i < 64; i++) {
      for (let j = 0; j < 64; j++) {
        let product = 0;
        for (let k = 0; k < 64; k++) product += untied[i * 64 + k]! * overwritten[k * 64 + j]!;
        if (i === 0 && j === 0) scale = compounded[0]! / product;
        error = Math.max(error, Math.abs(compounded[i * 64 + j]! - scale * product));
      }
    }
    expect(error).toBeLessThan(1e-5);
    const path = bench.vectorPath;
    await writeVector(bench.folder, 'vector', swapped);
    expect(await embeddingMap('untied')).toEqual(overwritten);
    expect(await writeVector(bench.folder, 'vector', bench.vector)).toBe(path);
  });
});

describe('a build that cannot be made', () => {
  it('is refused by name while another one writes the directory', async () => {
    const { bench } = state;
    const lock = lockDirectory(bench.request().out);
    await expect(buildRouter(bench.request(), toolsFor())).rejects.toThrowError(
      failure('build_in_progress', bench.request().out),
    );
    lock.release();
    await buildRouter(bench.request(), toolsFor());
  });

  it('leaves a folder alone that is no router, forced or not', async () => {
    const { bench } = state;
    const out = bench.request().out;
    await mkdir(out);
    await writeFile(join(out, 'thesis.txt'), 'do not lose');
    for (const force of [false, true]) {
      await expect(buildRouter(bench.request({ force }), toolsFor())).rejects.toThrowError(
        failure('not_a_router'),
      );
    }
    expect(await readdir(out)).toEqual(['thesis.txt']);
  });

  it('writes nothing on a dry run and says what it would build', async () => {
    const { bench } = state;
    const tools = toolsFor();
    expect(await buildRouter(bench.request({ dryRun: true }), tools)).toBeNull();
    expect(await readdir(bench.folder)).toEqual(['base', 'vector.safetensors']);
    const [planned] = tools.events;
    const actions = planned?.type === 'planned' ? planned.tensors.map(({ action }) => action) : [];
    expect(actions).toEqual([...Array(8).fill('build'), 'skip']);
  });

  it('on a dry run over a partial router says what is kept, and what differs', async () => {
    const { bench } = state;
    await buildRouter(bench.request({ onlyTensor: queryName }), toolsFor());
    const before = await contents(bench.request().out);
    const tools = toolsFor();
    await buildRouter(bench.request({ dryRun: true }), tools);
    const [planned] = tools.events;
    const kept =
      planned?.type === 'planned' ? planned.tensors.filter(({ action }) => action === 'keep') : [];
    expect(kept.map(({ name }) => name)).toEqual([queryName]);
    await expect(
      buildRouter(bench.request({ dryRun: true, embedding: 'overwritten' }), toolsFor()),
    ).rejects.toThrowError(failure('inputs_changed'));
    expect(await contents(bench.request().out)).toEqual(before);
  });

  it('is refused for a base whose embedding is not what its configuration says', async () => {
    const { bench } = state;
    const other = join(bench.folder, 'other-shape');
    await cp(bench.base.folder, other, { recursive: true });
    const config = JSON.parse(await readFile(join(other, 'config.json'), 'utf8')) as object;
    await writeFile(join(other, 'config.json'), JSON.stringify({ ...config, vocab_size: 301 }));
    await expect(buildRouter(bench.request({ base: other }), toolsFor())).rejects.toThrowError(
      failure('wrong_shape', /\[300,64\].*\[301,64\]/),
    );
    await rm(other, { recursive: true });
  });

  it('is refused for another reading of an embedding that the base does not tie', async () => {
    const { bench } = state;
    const other = join(bench.folder, 'untied');
    await cp(bench.base.folder, other, { recursive: true });
    const config = JSON.parse(await readFile(join(other, 'config.json'), 'utf8')) as object;
    const untied = { ...config, tie_word_embeddings: false };
    await writeFile(join(other, 'config.json'), JSON.stringify(untied));
    const weights = await SafetensorsFile.open(join(other, 'model.safetensors'));
    const all = await Promise.all(
      [...weights.tensors.values()].map(async ({ name, dtype, shape }) => ({
        name,
        dtype,
        shape,
        data: await weights.read(name),
      })),
    );
    await weights.close();
    const embedding = all.find(({ name }) => name.includes('embed_tokens'))!;
    await writeSafetensors(join(other, 'model.safetensors'), [
      ...all,
      { ...embedding, name: 'lm_head.weight' },
    ]);
    await expect(
      buildRouter(bench.request({ base: other, embedding: 'compounded' }), toolsFor()),
    ).rejects.toThrowError(failure('not_tied', 'tie_word_embeddings'));
    const dry = bench.request({ base: other, dryRun: true });
    await expect(buildRouter(dry, toolsFor())).resolves.toBeNull();
    await rm(other, { recursive: true });
  });

  it('is refused for a vector of another length', async () => {
    const { bench } = state;
    const vector = await writeVector(bench.folder, 'short', vectorOf(5).subarray(1));
    await expect(buildRouter(bench.request({ vector }), toolsFor())).rejects.toThrowError(
      failure('vector_length', '1151 values'),
    );
    await rm(vector);
  });

  it('is refused for a tensor that is not there', async () => {
    await expect(
      buildRouter(state.bench.request({ onlyTensor: 'model.norm.weight' }), toolsFor()),
    ).rejects.toThrowError(failure('unknown_tensor', /self_attn\.q_proj/));
  });

  it('is refused for a base without weights, and for one that is cut short', async () => {
    const { bench } = state;
    const empty = join(bench.folder, 'empty');
    await mkdir(empty);
    await expect(buildRouter(bench.request({ base: empty }), toolsFor())).rejects.toThrowError(
      failure('base_invalid', 'config.json'),
    );
    for (const name of ['config.json', 'tokenizer.json']) {
      await copyFile(join(bench.base.folder, name), join(empty, name));
    }
    const weights = await readFile(join(bench.base.folder, 'model.safetensors'));
    await writeFile(join(empty, 'model.safetensors'), weights.subarray(0, -1000));
    await expect(buildRouter(bench.request({ base: empty }), toolsFor())).rejects.toThrowError(
      failure('truncated'),
    );
    await rm(empty, { recursive: true });
  });
});

describe('a disk that fails', () => {
  /** Files on a disk that takes `count` writes and then fails each with `code`. */
  const failingAfter = (count: number, code: string): FileOperations => {
    const error = Object.assign(new Error(`${code}: no`), { code, syscall: 'write' });
    const state = { left: count };
    const limited = (handle: FileHandle) =>
      new Proxy(handle, {
        get: (target, key) => {
          if (key === 'write' && state.left-- <= 0) return () => Promise.reject(error);
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    return {
      open: async (path, flags, mode) => limited(await open(path, flags, mode)),
      rename,
      unlink,
    };
  };

  it.each([
    ['ENOSPC', 'disk_full', 0],
    ['ENOSPC', 'disk_full', 9],
    ['ENOSPC', 'disk_full', 40],
    ['EDQUOT', 'disk_full', 20],
    ['EROFS', 'not_writable', 0],
    ['EACCES', 'not_writable', 0],
  ])(
    'with %s ends in %s after %i writes, loses nothing and goes on',
    async (code, expected, count) => {
      const { bench, reference } = state;
      await buildRouter(bench.request(), toolsFor());
      const forced = bench.request({ dtype: 'F32', force: true });
      await expect(
        buildRouter(forced, toolsFor({ files: failingAfter(count, code) })),
      ).rejects.toThrowError(failure(expected, bench.request().out));
      expect(await contents(bench.request().out)).toEqual(reference);
      const all = await readdir(bench.folder, { recursive: true });
      expect(all.filter((name) => name.endsWith('.tmp'))).toEqual([]);
      const manifest = await buildRouter(forced, toolsFor());
      expect(await openRouterDirectory(bench.request().out)).toEqual(manifest);
      expect(await readdir(bench.folder)).toEqual(['base', 'router', 'vector.safetensors']);
    },
  );
});
