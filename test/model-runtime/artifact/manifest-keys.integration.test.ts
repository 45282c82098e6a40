import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRouter } from '../../../model-runtime/artifact/build.ts';
import { openRouterDirectory } from '../../../model-runtime/artifact/router-directory.ts';
import { contents, openWorkbench, toolsFor, type Workbench } from './workbench.ts';

const state: { bench: Workbench; text: string } = {} as never;

beforeAll(async () => {
  state.bench = await openWorkbench();
  await buildRouter(state.bench.request(), toolsFor());
  state.text = (await contents(state.bench.request().out)).get('manifest.json')!.toString();
});
afterAll(() => state.bench.remove());

type Key = readonly (string | number)[];

/** Paths of every member of an object, of the first element of every list, and so on down. */
function keysOf(value: unknown, above: Key = []): Key[] {
  if (value === null || typeof value !== 'object') return [];
  const members: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, 1).map((element, index) => [index, element])
    : Object.entries(value);
  return members.flatMap(([key, member]) => {
    const here = [...above, key];
    return [...(typeof key === 'string' ? [here] : []), ...keysOf(member, here)];
  });
}

/** The manifest with one member changed. */
function changed(
  key: Key,
  change: (holder: Record<string, unknown>, name: string) => void,
): string {
  const manifest = JSON.parse(state.text) as unknown;
  const holder = key
    .slice(0, -1)
    .reduce((at, name) => (at as Record<string, unknown>)[name], manifest);
  change(holder as Record<string, unknown>, String(key.at(-1)));
  return JSON.stringify(manifest);
}

async function refusal(text: string): Promise<unknown> {
  const { out } = state.bench.request();
  await writeFile(join(out, 'manifest.json'), text);
  return openRouterDirectory(out).then(
    () => null,
    (error: unknown) => error,
  );
}

describe('a manifest of a built router', () => {
  it('has all the keys this test is about', () => {
    const names = keysOf(JSON.parse(state.text)).map((key) => key.join('.'));
    expect(names.length).toBeGreaterThan(35);
    expect(names).toContain('adaptation.tensors.0.singularValues.sha256');
  });

  it('without any one of its keys is refused by the name of that key', async () => {
    for (const key of keysOf(JSON.parse(state.text))) {
      const error = await refusal(changed(key, (holder, name) => delete holder[name]));
      expect(error, key.join('.')).toMatchObject({
        code: 'router_invalid',
        message: expect.stringContaining(key.join('.').replace(/^head\.kind$/, 'head')),
      });
    }
  });

  it('with any one of its keys of a wrong kind is refused by the name of that key', async () => {
    for (const key of keysOf(JSON.parse(state.text))) {
      const error = await refusal(
        changed(key, (holder, name) => {
          holder[name] = typeof holder[name] === 'boolean' ? 'x' : true;
        }),
      );
      expect(error, key.join('.')).toMatchObject({
        code: 'router_invalid',
        message: expect.stringContaining(key.join('.').replace(/^head\.kind$/, 'head')),
      });
    }
  });

  it('with another digest, identity or status is refused, though its form is right', async () => {
    const zeros = '0'.repeat(64);
    const set = (key: Key, value: unknown) =>
      refusal(changed(key, (holder, name) => (holder[name] = value)));
    expect(await set(['adapterRef'], zeros)).toMatchObject({
      message: expect.stringMatching('identity'),
    });
    expect(await set(['files', 1, 'sha256'], zeros)).toMatchObject({
      message: expect.stringMatching('identity'),
    });
    expect(await set(['status'], 'partial')).toMatchObject({
      message: expect.stringMatching('not finished'),
    });
    expect(await refusal(state.text)).toBeNull();
  });
});
