import fc from 'fast-check';
import { cp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  headRequestSchema,
  importRequestSchema,
  type ImportRequest,
} from '../../../contracts/build.ts';
import { buildBaseHead } from '../../../model-runtime/artifact/base-head.ts';
import { importBundle } from '../../../model-runtime/artifact/import.ts';
import { readUpstreamManifest } from '../../../model-runtime/artifact/upstream-bundle.ts';
import { openRouterDirectory } from '../../../model-runtime/artifact/router-directory.ts';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { changeManifest, writeUpstreamBundle, type UpstreamBundle } from './upstream-bundle.ts';
import { contents, openWorkbench, toolsFor, type Workbench } from './workbench.ts';

const state: { bench: Workbench; whole: UpstreamBundle; bundle: UpstreamBundle } = {} as never;

beforeAll(async () => {
  state.bench = await openWorkbench();
  state.whole = await writeUpstreamBundle(join(state.bench.folder, 'whole'));
});
beforeEach(async () => {
  const folder = join(state.bench.folder, 'bundle');
  await cp(state.whole.folder, folder, { recursive: true });
  state.bundle = { ...state.whole, folder };
});
afterEach(async () => {
  for (const name of await readdir(state.bench.folder)) {
    if (['base', 'whole'].includes(name)) continue;
    await rm(join(state.bench.folder, name), { recursive: true });
  }
});
afterAll(() => state.bench.remove());

const change = (edit: (manifest: Manifest) => void) =>
  changeManifest(state.bundle.folder, (manifest) => edit(manifest as Manifest));

function request(more: Partial<ImportRequest> = {}): ImportRequest {
  const { bench, bundle } = state;
  return importRequestSchema.parse({
    kind: 'import',
    base: bench.base.folder,
    bundle: bundle.folder,
    out: join(bench.folder, 'imported'),
    ...more,
  });
}

async function tensors(path: string): Promise<Map<string, Uint8Array>> {
  const file = await SafetensorsFile.open(path);
  try {
    const read = async (name: string) => [name, await file.read(name)] as const;
    return new Map(await Promise.all([...file.tensors.keys()].map(read)));
  } finally {
    await file.close();
  }
}

const failure = (code: string, text: string | RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(text) });
type Manifest = Record<string, unknown> & { selected_tensors: Record<string, unknown>[] };

describe('an imported bundle', () => {
  it('has its layers in the orientation of the base, square ones too', async () => {
    const { bundle } = state;
    const manifest = await importBundle(request(), toolsFor());
    expect(await openRouterDirectory(request().out)).toEqual(manifest);
    const layers = await tensors(join(request().out, 'adapted.safetensors'));
    expect(layers.size).toBe(7);
    for (const [name, bytes] of layers) {
      expect(new Uint16Array(bytes.buffer as ArrayBuffer), name).toEqual(bundle.values.get(name));
    }
    const embedding = await tensors(join(request().out, 'embed_tokens.safetensors'));
    const name = 'model.embed_tokens.weight';
    expect(new Uint16Array(embedding.get(name)!.buffer as ArrayBuffer)).toEqual(
      bundle.values.get(name),
    );
    const head = await tensors(join(request().out, 'router_head.safetensors'));
    expect(head.get('trinity_router_head')).toEqual(bytesOf(bundle.head));
    expect([...(await contents(request().out)).keys()]).not.toContain('lm_head.safetensors');
    expect(manifest).toMatchObject({ kind: 'imported', agents: { count: 7 } });
    const weights = 'model.safetensors';
    const linked = await stat(join(request().out, weights));
    expect(linked.ino).toBe((await stat(join(request().base, weights))).ino);
  });

  it('has the language head when it is asked for, and the same identity', async () => {
    const { bundle } = state;
    const without = await importBundle(request(), toolsFor());
    const out = join(state.bench.folder, 'with-head');
    const manifest = await importBundle(request({ withLmHead: true, out }), toolsFor());
    const written = await tensors(join(out, 'lm_head.safetensors'));
    expect(new Uint16Array(written.get('lm_head.weight')!.buffer as ArrayBuffer)).toEqual(
      bundle.values.get('lm_head.weight'),
    );
    expect(manifest.adapterRef).toBe(without.adapterRef);
  });

  it('reads the single-file layout', async () => {
    const { bundle } = state;
    await importBundle(request(), toolsFor());
    const reference = await contents(request().out);
    const all = await Promise.all(
      (JSON.parse(await readManifestText()) as Manifest).selected_tensors.map(async (entry) => {
        const [data] = (
          await tensors(join(bundle.folder, String(entry['checkpoint_path'])))
        ).values();
        return {
          name: String(entry['path']),
          dtype: 'BF16' as const,
          shape: entry['shape'] as number[],
          data: data!,
        };
      }),
    );
    await writeSafetensors(join(bundle.folder, 'adapted_tensors.safetensors'), all);
    await change((manifest) => {
      manifest['artifact_layout'] = 'single_file';
      manifest['adapted_tensors_artifact'] = 'adapted_tensors.safetensors';
    });
    await importBundle(request({ force: true }), toolsFor());
    expect(await contents(request().out)).toEqual(reference);
  });

  it('is not imported over a finished router unless forced', async () => {
    await importBundle(request(), toolsFor());
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('already_there', '--force'),
    );
    await importBundle(request({ force: true }), toolsFor());
  });
});

async function readManifestText(): Promise<string> {
  return readFile(join(state.bundle.folder, 'manifest.json'), 'utf8');
}

describe('a bundle that is refused', () => {
  const required = [
    'artifact_version',
    'status',
    'export_complete',
    'artifact_layout',
    'adapted_tensors_artifact',
    'router_head_artifact',
    'router_head_shape',
    'router_head_tensor_key',
    'base_model_repo',
    'selected_tensor_count',
    'selected_tensors',
  ];
  it.each(required)('without %s is refused by that name', async (key) => {
    await change((manifest) => delete manifest[key as 'status']);
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_invalid', key),
    );
  });

  it.each([
    ['artifact_version', 2],
    ['status', 'partial'],
    ['export_complete', false],
    ['partial_debug_only', true],
    ['router_head_shape', [10]],
    ['selected_tensor_count', 8],
    ['selected_tensors', []],
  ])('with %s = %j is refused by that name', async (key, value) => {
    await change((manifest) => (manifest[key] = value));
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_invalid', key),
    );
  });

  it.each([
    '../outside.safetensors',
    'checkpoints/../../outside.safetensors',
    '/etc/passwd',
    'C:\\outside.safetensors',
    'checkpoints\\..\\..\\outside.safetensors',
    './checkpoints/x',
    '',
  ])('naming the file %j is refused before anything is read', async (path) => {
    await change((manifest) => {
      manifest.selected_tensors[1]!['checkpoint_path'] = path;
    });
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_path', 'not a path inside it'),
    );
  });

  it('naming its head outside the bundle is refused', async () => {
    await change((manifest) => (manifest['router_head_artifact'] = '../h'));
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_path', ''),
    );
  });

  it('with a link for a checkpoint, its folder or its manifest is refused', async () => {
    const { bundle, bench } = state;
    const checkpoints = join(bundle.folder, 'checkpoints');
    const moved = join(bench.folder, 'elsewhere');
    await rename(checkpoints, moved);
    await symlink(moved, checkpoints);
    const refused = failure('bundle_path', 'link');
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(refused);
    await rm(checkpoints);
    await rename(moved, checkpoints);
    const head = join(bundle.folder, 'router_head.safetensors');
    await rename(head, join(bench.folder, 'head'));
    await symlink(join(bench.folder, 'head'), head);
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(refused);
  });

  it('with a damaged, a missing or a foreign tensor is refused by its name', async () => {
    const { bundle } = state;
    const entry = (JSON.parse(await readManifestText()) as Manifest).selected_tensors[3]!;
    const path = join(bundle.folder, String(entry['checkpoint_path']));
    const bytes = await readFile(path);
    bytes[bytes.length - 1]! ^= 1;
    await writeFile(path, bytes);
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_damaged', 'value'),
    );
    await rm(path);
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_incomplete', 'value'),
    );
    await change((manifest) => {
      manifest.selected_tensors[3]!['path'] = 'decoder.blocks.2.norm.kernel';
    });
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_invalid', 'decoder\\.blocks\\.2\\.norm'),
    );
  });

  it('whose manifest says another type than the file holds is refused by the tensor', async () => {
    for (const same of ['{:bf, 16}', 'BF16', null]) {
      await change((manifest) => (manifest.selected_tensors[3]!['type'] = same));
      expect((await readUpstreamManifest(state.bundle.folder)).selected_tensors[3]?.type).toBe(
        same === null ? null : 'BF16',
      );
    }
    await change((manifest) => (manifest.selected_tensors[3]!['type'] = 'f32'));
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_invalid', 'type of decoder\\.blocks\\.2\\.self_attention\\.value.*BF16'),
    );
  });

  it('is answered with a typed error whatever its manifest holds', async () => {
    const { bundle } = state;
    const whole = JSON.parse(await readManifestText()) as Record<string, unknown>;
    const json = fc.json({ maxDepth: 3 });
    const anything = fc.oneof(
      json,
      fc.string(),
      // A manifest that is right but for one member.
      fc
        .tuple(fc.constantFrom(...Object.keys(whole)), fc.jsonValue())
        .map(([key, value]) => JSON.stringify({ ...whole, [key]: value })),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (text) => {
        await writeFile(join(bundle.folder, 'manifest.json'), text);
        const read = await readUpstreamManifest(bundle.folder).catch((error: unknown) => error);
        if (read instanceof Error) expect(read).toMatchObject({ name: 'BuildError' });
        else expect(read).toMatchObject({ artifact_version: 1, status: 'complete' });
      }),
      { numRuns: 150 },
    );
  });

  it('leaves nothing that a router could be taken for', async () => {
    await change((manifest) => (manifest['router_head_shape'] = [11, 64]));
    await expect(importBundle(request(), toolsFor())).rejects.toThrowError(
      failure('bundle_invalid', 'router_head_shape'),
    );
    await expect(openRouterDirectory(request().out)).rejects.toThrowError();
  });
});

describe('a base with a head', () => {
  async function headRequest(values: Float32Array, shape: number[]) {
    const { bench } = state;
    const path = join(bench.folder, 'head.safetensors');
    await writeSafetensors(path, [{ name: 'h', dtype: 'F32', shape, data: bytesOf(values) }]);
    return headRequestSchema.parse({
      kind: 'base+head',
      base: bench.base.folder,
      head: path,
      out: join(bench.folder, 'plain'),
    });
  }

  it('becomes a router without adapted tensors', async () => {
    const values = Float32Array.from({ length: 512 }, (_, i) => i / 7);
    const made = await headRequest(values, [8, 64]);
    const manifest = await buildBaseHead(made, toolsFor());
    expect(manifest).toMatchObject({
      kind: 'base+head',
      agents: { count: 5 },
      adaptation: { embedding: null, tensors: [] },
    });
    expect(await openRouterDirectory(made.out)).toEqual(manifest);
    expect([...(await contents(made.out)).keys()]).toEqual([
      'manifest.json',
      'router_head.safetensors',
    ]);
  });

  it.each([
    ['of another width', 8, 63],
    ['with too few rows', 3, 64],
  ])('is refused with a head %s', async (_, rows, columns) => {
    const made = await headRequest(new Float32Array(rows * columns), [rows, columns]);
    await expect(buildBaseHead(made, toolsFor())).rejects.toThrowError(
      failure('head_invalid', `\\[${rows},${columns}\\]`),
    );
  });
});
