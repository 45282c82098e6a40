import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { os } from '@orpc/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  preferredPort,
  runBrowserHost,
  type BrowserRun,
} from '../../../../main/hosts/browser/run.ts';
import type { HostParts } from '../../../../main/hosts/hosted-app.ts';
import { askInstance, lockInstance } from '../../../../main/hosts/instance-lock.ts';
import { loadPageFiles } from '../../../../main/hosts/page-files.ts';
import { createSystemClock } from '../../../../main/hosts/system-clock.ts';

let root: string;
let dataDirectory: string;
let printed: string;
let opened: string[];
let closes: number;
let ending: AbortController;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trinity-run-'));
  dataDirectory = join(root, 'data');
  mkdirSync(dataDirectory);
  writeFileSync(join(root, 'index.html'), '<title>page</title>');
  printed = '';
  opened = [];
  closes = 0;
  ending = new AbortController();
});
afterEach(() => {
  ending.abort();
  rmSync(root, { recursive: true, force: true });
});

function run(change: Partial<BrowserRun> = {}): Promise<void> {
  return runBrowserHost({
    createApp: () =>
      Promise.resolve({
        router: { echo: os.handler(({ input }) => input) },
        close: () => {
          closes += 1;
          return Promise.resolve();
        },
      }),
    parts: { host: 'browser', dataDirectory, clock: createSystemClock() } as HostParts,
    page: loadPageFiles(root),
    port: 0,
    allowOrigins: [],
    reason: 'there is no display',
    print: (text) => (printed += text),
    openAddress: null,
    signal: ending.signal,
    ...change,
  });
}

const addresses = () => printed.match(/http:\/\/\S+#[\w-]{43}/g) ?? [];

describe('the browser host', () => {
  it('prints its address and why it is not Electron, and ends in order with its signal', async () => {
    const running = run();
    await expect.poll(() => printed, { timeout: 10_000 }).toContain('End with Ctrl-C');
    expect(printed).toContain('not in Electron: there is no display');
    expect(addresses()).toHaveLength(1);
    expect((await fetch(addresses()[0]!)).status).toBe(200);
    ending.abort();
    await running;
    expect(closes).toBe(1);
    await expect(fetch(addresses()[0]!)).rejects.toThrow();
    expect(await askInstance(dataDirectory, 'url')).toBeNull();
  });

  it('started again, gives a fresh address of the one that runs, and opens it', async () => {
    const running = run();
    await expect.poll(() => addresses().length, { timeout: 10_000 }).toBe(1);
    await run({
      openAddress: (url) => {
        opened.push(url);
        return Promise.resolve(true);
      },
    });
    expect(printed).toContain('running already');
    expect(opened).toHaveLength(1);
    expect(new Set([...addresses(), ...opened]).size).toBe(2);
    const asked = await askInstance(dataDirectory, 'url');
    expect(asked?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter#/);
    ending.abort();
    await running;
  });

  it('leaves a window of the desktop app to show itself', async () => {
    const lock = lockInstance(dataDirectory)!;
    await lock.answerWith(() => ({ host: 'electron', url: null }));
    await run();
    expect(printed).toContain('see its window');
    expect(addresses()).toEqual([]);
    lock.release();
  });

  it('lets go of everything when its port is taken', async () => {
    const other = await occupy(0);
    const { port } = other.address() as { port: number };
    await expect(run({ port })).rejects.toMatchObject({ code: 'port' });
    expect(closes).toBe(1);
    expect(await askInstance(dataDirectory, 'url')).toBeNull();
    other.close();
  });

  it('takes another port when only its preferred one is taken', async () => {
    const other = await occupy(preferredPort).catch(() => null);
    const running = run({ port: undefined });
    await expect.poll(() => addresses().length, { timeout: 10_000 }).toBe(1);
    expect(new URL(addresses()[0]!).port).not.toBe(String(preferredPort));
    ending.abort();
    await running;
    other?.close();
  });
});

function occupy(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
