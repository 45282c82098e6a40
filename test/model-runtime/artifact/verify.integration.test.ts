import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RouterManifest } from '../../../contracts/manifest.ts';
import { buildRouter } from '../../../model-runtime/artifact/build.ts';
import { verifyRouter } from '../../../model-runtime/artifact/verify.ts';
import { openWorkbench, toolsFor, vectorOf, writeVector, type Workbench } from './workbench.ts';

const state: { bench: Workbench; manifest: string } = {} as never;
const path = () => join(state.bench.request().out, 'manifest.json');
beforeAll(async () => {
  state.bench = await openWorkbench();
  await buildRouter(state.bench.request(), toolsFor());
  state.manifest = await readFile(path(), 'utf8');
});
beforeEach(() => writeFile(path(), state.manifest));
afterAll(() => state.bench.remove());

async function problems(vector: string | null): Promise<Record<string, string | null>> {
  const { bench } = state;
  const items = await verifyRouter(bench.request().out, [bench.base.folder], vector);
  return Object.fromEntries(items.map(({ item, problem }) => [item, problem]));
}

/** Changes the entry of the query projection. The identity does not cover it. */
async function change(edit: (tensor: RouterManifest['adaptation']['tensors'][number]) => object) {
  const manifest = JSON.parse(state.manifest) as RouterManifest;
  const { tensors } = manifest.adaptation;
  tensors[1] = { ...tensors[1]!, ...edit(tensors[1]!) };
  await writeFile(path(), JSON.stringify(manifest));
}

describe('the verification of a built router', () => {
  it('holds, with its vector and without', async () => {
    const files = ['router_head', 'adapted', 'embed_m', 'singular_values'];
    const whole = [...files.map((name) => `${name}.safetensors`), 'manifest.json', 'base'];
    const ok = (...items: string[]) => Object.fromEntries(items.map((item) => [item, null]));
    expect(await problems(null)).toEqual(ok(...whole, 'singular values'));
    expect(await problems(state.bench.vectorPath)).toEqual(ok(...whole, 'singular values and c'));
  });

  it.each(['untied', 'overwritten', 'compounded'] as const)(
    'takes the spans of the reading "%s"',
    async (embedding) => {
      const { bench } = state;
      const request = bench.request({
        embedding,
        out: join(bench.folder, 'read'),
        withLmHead: true,
      });
      await buildRouter(request, toolsFor());
      const items = await verifyRouter(request.out, [bench.base.folder], bench.vectorPath);
      expect(items.filter(({ problem }) => problem !== null)).toEqual([]);
      await rm(request.out, { recursive: true });
    },
  );

  it('finds a c that is not that of the singular values and the vector', async () => {
    await change(({ c }) => ({ c: c! * (1 + 1e-8) }));
    expect((await problems(state.bench.vectorPath))['singular values and c']).toMatch(
      /^c of model\.layers\.2\.self_attn\.q_proj\.weight is [\d.]+ in the manifest; .* give [\d.]+$/,
    );
  });

  it.each(['largest', 'smallest', 'sum', 'count'] as const)(
    'finds another %s than the singular values have',
    async (key) => {
      await change(({ singularValues }) => ({
        singularValues: { ...singularValues, [key]: singularValues![key] + 1 },
      }));
      expect((await problems(null))['singular values']).toMatch(
        new RegExp(`^"${key}" of the singular values of model\\.layers\\.2\\.self_attn\\.q_proj`),
      );
    },
  );

  it('refuses another vector', async () => {
    const { bench } = state;
    const other = await writeVector(bench.folder, 'other', vectorOf(6));
    expect((await problems(other))['singular values and c']).toBe(
      `${other} is not the vector that the router was built from`,
    );
    await rm(other);
  });
});
