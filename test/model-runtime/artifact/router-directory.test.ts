import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  listRouters,
  openRouterDirectory,
} from '../../../model-runtime/artifact/router-directory.ts';
import { resolveRouter } from '../../../model-runtime/artifact/naming.ts';
import { RuntimeError } from '../../../model-runtime/runtime-error.ts';
import { writeFiles, writeRouterFolder } from './router-folder.ts';

let routers: string;
beforeEach(async () => {
  routers = await mkdtemp(join(tmpdir(), 'trinity-routérs '));
});
afterEach(() => rm(routers, { recursive: true }));

describe('a router directory', () => {
  it('is read with its manifest when its files are there', async () => {
    const manifest = await writeRouterFolder(join(routers, 'mine'));
    expect(await openRouterDirectory(join(routers, 'mine'))).toEqual(manifest);
  });

  it.each([
    ['is unfinished', { status: 'partial' as const }, /not finished/],
    ['has another identity', { adapterRef: 'f'.repeat(64) }, /identity/],
    [
      'has a head of another size',
      { agents: { count: 6, labels: [] } },
      /head has 10 outputs, not 9/,
    ],
  ])('is refused when it %s', async (_, over, message) => {
    await writeRouterFolder(join(routers, 'mine'), over);
    const opening = openRouterDirectory(join(routers, 'mine'));
    await expect(opening).rejects.toMatchObject({
      code: 'router_invalid',
      message: expect.stringMatching(message),
    });
  });

  it('is refused when a file is missing, has another size, or is a link', async () => {
    const folder = join(routers, 'mine');
    const head = join(folder, 'router_head.safetensors');
    await writeRouterFolder(folder);
    await writeFile(head, 'longer');
    await expect(openRouterDirectory(folder)).rejects.toThrow(/has 6 bytes, not 4/);
    await unlink(head);
    await expect(openRouterDirectory(folder)).rejects.toThrow(/is missing/);
    await writeFile(join(routers, 'elsewhere'), 'head');
    await symlink(join(routers, 'elsewhere'), head);
    await expect(openRouterDirectory(folder)).rejects.toThrow(/is missing/);
  });

  it('says which member of its manifest is missing, and which is of the wrong kind', async () => {
    const path = join(routers, 'mine');
    const manifest = await writeRouterFolder(path);
    await writeFile(
      join(path, 'manifest.json'),
      JSON.stringify({ ...manifest, base: {}, roles: 3 }),
    );
    await expect(openRouterDirectory(path)).rejects.toThrow(
      `${join(path, 'manifest.json')} is not what it should be: ` +
        'base.repo is missing; base.revision is missing; base.files is missing.',
    );
  });

  it('never reads a path that leaves it', async () => {
    for (const path of ['../secret', '/etc/passwd', 'a/../../b', 'C:\\x', '']) {
      const files = [{ path, bytes: 4, sha256: 'a'.repeat(64) }];
      await writeRouterFolder(join(routers, 'mine'), { files });
      await expect(openRouterDirectory(join(routers, 'mine'))).rejects.toMatchObject({
        code: 'router_invalid',
      });
    }
  });

  it('answers any manifest with a typed error that names it', async () => {
    const folder = join(routers, 'mine');
    await mkdir(folder);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string(), fc.json(), fc.constant('{"format":1}')),
        async (text) => {
          await writeFile(join(folder, 'manifest.json'), text);
          const error = await openRouterDirectory(folder).catch((thrown: unknown) => thrown);
          expect(error).toBeInstanceOf(RuntimeError);
          expect((error as RuntimeError).message).toContain(folder);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the list of routers', () => {
  it('is what the disk holds, broken ones with their problem', async () => {
    await writeRouterFolder(join(routers, 'b'));
    await writeRouterFolder(join(routers, 'a'), { status: 'partial' });
    await writeRouterFolder(join(routers, 'c'));
    await unlink(join(routers, 'c', 'router_head.safetensors'));
    await writeFiles(join(routers, 'd'), { 'manifest.json': '{' });
    await mkdir(join(routers, 'empty'));
    const listed = await listRouters(routers);
    expect(listed.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'partial'],
      ['b', 'complete'],
      ['c', 'broken'],
      ['d', 'broken'],
    ]);
    expect(listed[1]).toMatchObject({ kind: 'built', agentCount: 7, bytes: 4, problem: null });
    expect(listed[2]!.problem).toMatch(/router_head.safetensors is missing/);
  });

  it('is empty where there is no folder', async () => {
    expect(await listRouters(join(routers, 'nowhere'))).toEqual([]);
  });
});

describe('the name of a router', () => {
  it('is demo, an id, or a path of each of three kinds', async () => {
    await writeRouterFolder(join(routers, 'mine'));
    const away = join(routers, 'mine', '..', '.away');
    await writeFiles(join(away, 'upstream'), { 'manifest.json': '{"artifact_version":1}' });
    await writeFiles(join(away, 'plain'), { 'config.json': '{}', 'router_head.safetensors': 'h' });
    const kindOf = async (name: string) => (await resolveRouter(name, routers)).kind;
    expect(await kindOf('demo')).toBe('demo');
    expect(await kindOf('mine')).toBe('router');
    expect(await kindOf(join(routers, 'mine'))).toBe('router');
    expect(await kindOf(join(away, 'upstream'))).toBe('upstream');
    expect(await kindOf(join(away, 'plain'))).toBe('base+head');
  });

  it('that is none of them is refused in a sentence', async () => {
    await mkdir(join(routers, 'empty'));
    for (const name of ['empty', 'nothing', '', '.', '../x', join(routers, 'empty')]) {
      await expect(resolveRouter(name, routers)).rejects.toMatchObject({
        code: 'router_not_found',
      });
    }
    await writeFiles(join(routers, 'odd'), { 'manifest.json': '{"format":"other"}' });
    await expect(resolveRouter(join(routers, 'odd'), routers)).rejects.toMatchObject({
      code: 'router_invalid',
    });
  });
});
