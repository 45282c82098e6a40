import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { createForkLauncher } from '../../../main/hosts/fork-launcher.ts';
import { createSystemClock } from '../../../main/hosts/system-clock.ts';
import { createRouterClient } from '../../../model-runtime/client.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = (name: string): string => join(root, 'out', name);

/** What Electron is given, as far as it can be tried without Electron. */
test.describe('the bundles of the desktop app', () => {
  let folder: string;
  test.beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trinity-bundle-'));
  });
  test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('the main process starts, opens its window with the built preload, and starts its router', async () => {
    const script = fileURLToPath(new URL('stand-in.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, root, folder]);
    const seen = JSON.parse(stdout) as {
      errors: string[];
      windows: { url: string; options: { webPreferences: { preload: string } } }[];
      children: string[];
    };
    expect(seen.errors).toEqual([]);
    expect(seen.windows.map(({ url }) => url)).toEqual(['app://bundle/']);
    expect(seen.children).toEqual([built('main/route-process.js')]);
    expect(seen.windows[0]?.options.webPreferences.preload).toBe(built('preload/index.cjs'));
    expect(existsSync(built('preload/index.cjs'))).toBe(true);
  });

  test('the preload is one CommonJS file that needs nothing but electron', () => {
    const preload = readFileSync(built('preload/index.cjs'), 'utf8');
    const required = [...preload.matchAll(/require\(["']([^"']+)["']\)/g)].map(([, name]) => name);
    expect(required).toEqual(['electron']);
    expect(preload).not.toMatch(/^import /m);
    expect(preload.length).toBeLessThan(3_000);
  });

  test('the route process routes with the native runtime left beside it', async () => {
    const client = createRouterClient({
      clock: createSystemClock(),
      launcher: createForkLauncher({
        env: process.env,
        entries: { route: built('main/route-process.js'), build: built('main/build-process.js') },
      }),
      routersDirectory: join(folder, 'routers'),
      cacheDirectory: join(folder, 'cache'),
      baseFolders: [],
    });
    try {
      await client.select('demo', 'cpu-f32');
      const logits = await client.route({
        messages: [{ role: 'user', content: 'What is 2 + 2?' }],
        windowTokens: null,
        messageCharacters: null,
      });
      expect(logits.agentLogits.length).toBeGreaterThanOrEqual(4);
      expect(logits.roleLogits).toHaveLength(3);
      expect(logits.agentLogits.every(Number.isFinite)).toBe(true);
    } finally {
      await client.close();
    }
  });
});
