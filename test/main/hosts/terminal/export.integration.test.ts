import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildEventSchema } from '../../../../contracts/build.ts';
import { routeLogitsSchema } from '../../../../contracts/route.ts';
import { SafetensorsFile } from '../../../../model-runtime/weights/safetensors-file.ts';
import {
  writeUpstreamBundle,
  type BundleMatrix,
} from '../../../model-runtime/artifact/upstream-bundle.ts';
import { writeVector } from '../../../model-runtime/artifact/workbench.ts';
import { gaussian } from '../../../fixtures/checkpoints/gaussian.ts';
import { createForkLauncher } from '../../../../main/hosts/fork-launcher.ts';
import { runTerminal } from '../../../../main/hosts/terminal/program.ts';
import type { TrinityRun } from './run-trinity.ts';

const state = { home: '', base: '', vector: '' };

/** The program in this process: its children are real. Starting it anew for each command takes longer than the commands. */
async function trinity(...args: string[]): Promise<TrinityRun> {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => (written[name] += text),
  });
  const context = {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    stdin: Readable.from([]),
    env: {},
    cwd: state.home,
    signal: new AbortController().signal,
    launcher: createForkLauncher({ env: process.env }),
  };
  const code = await runTerminal(['--data-dir', join(state.home, 'data'), ...args], context, '0');
  return { code, ...written };
}

/** The demo's checkpoint is a base like any other: nine matrices of 64 singular values, hidden 64. */
beforeAll(async () => {
  state.home = await mkdtemp(join(tmpdir(), 'trinity export ü-'));
  const demo = await trinity('models', 'demo');
  expect(demo).toMatchObject({ code: 0 });
  state.base = demo.stdout.trim();
  const next = gaussian(3);
  const values = Float32Array.from({ length: 9 * 64 + 640 }, () => 0.1 * next());
  state.vector = await writeVector(state.home, 'evolved', values);
});
afterAll(() => rm(state.home, { recursive: true, force: true }));

async function logitsOf(router: string): Promise<readonly number[]> {
  const args = ['route', '--json', '--router', router, '--base', state.base, 'What is 17 + 25?'];
  const run = await trinity(...args);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  const logits = routeLogitsSchema.parse(JSON.parse(run.stdout));
  return [...logits.agentLogits, ...logits.roleLogits];
}

describe('trinity export', () => {
  it('builds a router that routes, is listed, shown, verified and removed', async () => {
    const built = await trinity('export', '--base', state.base, '--vector', state.vector);
    expect(built).toMatchObject({ code: 0, stderr: '' });
    expect(built.stdout).toMatch(/8 tensors to build/);
    expect(built.stdout).toMatch(/trinity route --router evolved/);
    expect(await logitsOf('evolved')).toHaveLength(10);

    expect((await trinity('models', 'list')).stdout).toMatch(/^evolved +built +complete/m);
    const shown = await trinity('models', 'show', 'evolved');
    expect(shown.stdout).toMatch(
      /self_attn\.q_proj\.weight.*\n.*offsets 64-128, sum \|d\| \d+\.\d{4}/,
    );

    const verify = ['models', 'verify', 'evolved', '--base', state.base];
    expect(await trinity(...verify, '--vector', state.vector)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^ok {3}singular values and c$/m) as string,
    });
    const path = join(state.home, 'data', 'routers', 'evolved', 'embed_m.safetensors');
    const bytes = await readFile(path);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    const damaged = await trinity(...verify);
    expect(damaged).toMatchObject({ code: 1 });
    expect(damaged.stdout).toMatch(/^BAD {2}embed_m\.safetensors/m);

    expect(await trinity('models', 'remove', 'evolved')).toMatchObject({ code: 2 });
    expect(await trinity('models', 'remove', 'evolved', '--yes')).toMatchObject({ code: 0 });
    expect((await trinity('models', 'list')).stdout).not.toMatch(/evolved/);
  });

  it('tells every event as a line of JSON, for other programs', async () => {
    const out = join(state.home, 'json');
    const run = await trinity(
      'export',
      '--base',
      state.base,
      '--vector',
      state.vector,
      '--out',
      out,
      '--json',
    );
    const events = run.stdout
      .trim()
      .split('\n')
      .map((line) => buildEventSchema.parse(JSON.parse(line)));
    expect(events.some(({ type }) => type === 'progress')).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'finished', manifest: { status: 'complete' } });
  });

  it('says what is wrong with the inputs and leaves nothing behind', async () => {
    const short = await writeVector(state.home, 'short', new Float32Array(100));
    const run = await trinity('export', '--base', state.base, '--vector', short);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/has 100 values; this base needs 1216.*\(vector_length\)/);
    expect(await readdir(join(state.home, 'data', 'routers'))).not.toContain('short');
    expect(await trinity('export', '--base', state.base)).toMatchObject({ code: 2 });
    const bad = ['export', '--base', state.base, '--vector', short, '--layers', 'x'];
    expect(await trinity(...bad)).toMatchObject({ code: 2 });
  });
});

describe('trinity models import', () => {
  it('makes a head and a base a router with the logits of the same two unpacked', async () => {
    const head = join(state.base, 'router_head.safetensors');
    const out = join(state.home, 'plain');
    const run = await trinity('models', 'import', head, '--base', state.base, '--out', out);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(await logitsOf(out)).toEqual(await logitsOf('demo'));
  });

  it("routes a bundle in upstream's format: one that adapts nothing gives the logits of its base", async () => {
    const base = await SafetensorsFile.open(join(state.base, 'model.safetensors'));
    const matrices = new Map<string, BundleMatrix>();
    for (const { name, shape } of base.tensors.values()) {
      if (shape.length !== 2) continue;
      const bits = new Uint16Array((await base.read(name)).buffer);
      matrices.set(name, { shape: [shape[0]!, shape[1]!], bits });
    }
    await base.close();
    const headFile = await SafetensorsFile.open(join(state.base, 'router_head.safetensors'));
    const head = await headFile.readF32('trinity_router_head');
    await headFile.close();
    const { folder } = await writeUpstreamBundle(join(state.home, 'bundle'), {
      head,
      // The base ties the language head and does not store it.
      matrix: (name) => matrices.get(name) ?? matrices.get('model.embed_tokens.weight')!,
    });
    const run = await trinity('models', 'import', folder, '--base', state.base);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(await logitsOf('bundle')).toEqual(await logitsOf('demo'));
  });
});
