import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { os } from '@orpc/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { portOffer, portRequest } from '../../../../contracts/app/page-port.ts';
import { start } from '../../../../main/hosts/electron/index.ts';
import type { HostParts } from '../../../../main/hosts/hosted-app.ts';
import { askInstance, lockInstance } from '../../../../main/hosts/instance-lock.ts';
import { electronState, FakeFrame, resetElectron } from '../../../fakes/electron.ts';

vi.mock('electron', () => import('../../../fakes/electron.ts'));

let root: string;
let dataDirectory: string;
let parts: HostParts | null;
let closes: number;
const router = { echo: os.handler(({ input }) => input) };

beforeEach(() => {
  resetElectron();
  root = mkdtempSync(join(tmpdir(), 'trinity-electron-'));
  dataDirectory = join(root, 'data');
  mkdirSync(join(root, 'out', 'renderer'), { recursive: true });
  writeFileSync(join(root, 'out', 'renderer', 'index.html'), '<!doctype html><title>page</title>');
  electronState().app.appPath = root;
  electronState().app.ready.resolve();
  parts = null;
  closes = 0;
});
afterEach(async () => {
  electronState().app.quit();
  await vi.waitFor(() => expect(lockIsFree()).toBe(true));
  rmSync(root, { recursive: true, force: true });
});

function lockIsFree(): boolean {
  const lock = lockInstance(dataDirectory);
  lock?.release();
  return lock !== null;
}

async function startApp(...args: readonly string[]): Promise<void> {
  const createApp = (given: HostParts) => {
    parts = given;
    return Promise.resolve({
      router,
      close: () => {
        closes += 1;
        return Promise.resolve();
      },
    });
  };
  await start(createApp, ['--data-dir', dataDirectory, '--no-sandbox', ...args]);
}

/** The page asks for a port, as its preload would. */
function askForPort(change: { frame?: FakeFrame | null; id?: number } = {}): FakeFrame {
  const [window] = electronState().windows;
  const contents = window!.webContents;
  const sender = {
    ...contents,
    id: change.id ?? contents.id,
    mainFrame: contents.mainFrame,
    once: () => undefined,
  };
  const senderFrame = change.frame === undefined ? contents.mainFrame : change.frame;
  electronState().ipc.emit(portRequest, { sender, senderFrame });
  return senderFrame ?? contents.mainFrame;
}

describe('starting', () => {
  it('declares app:// before the app is ready, and sandboxes every renderer', async () => {
    await startApp();
    const [scheme] = electronState().schemes;
    expect(scheme).toMatchObject({ scheme: 'app', privileges: { standard: true, secure: true } });
    expect(scheme!.privileges).not.toHaveProperty('bypassCSP');
    expect(scheme!.privileges).not.toHaveProperty('corsEnabled');
    expect(electronState().app.isSandboxed).toBe(true);
  });

  it('opens one window on app:// without Node, isolated, with the bundled preload', async () => {
    await startApp();
    expect(electronState().windows).toHaveLength(1);
    const [window] = electronState().windows;
    expect(window!.url).toBe('app://bundle/');
    expect(window!.options['webPreferences']).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      spellcheck: false,
      preload: join(root, 'out', 'preload', 'index.cjs'),
    });
    expect(window!.shown).toBe(0);
    window!.emit('ready-to-show');
    expect(window!.shown).toBe(1);
  });

  it('shows native log lines on stderr only when it is asked to', async () => {
    await startApp();
    expect(parts).not.toHaveProperty('onLog');
    electronState().app.quit();
    await vi.waitFor(() => expect(lockIsFree()).toBe(true));
    await startApp('--debug-native');
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    parts?.onLog?.('a warning');
    expect(write.mock.calls).toEqual([['[native] a warning\n']]);
    write.mockRestore();
  });

  it('keeps the inspector out of a packaged app', async () => {
    electronState().app.isPackaged = true;
    await startApp();
    expect(electronState().windows[0]!.options['webPreferences']).toMatchObject({
      devTools: false,
    });
    expect(JSON.stringify(electronState().menu)).not.toContain('toggleDevTools');
  });

  it("keeps Chromium's own files in the data directory", async () => {
    await startApp();
    expect(electronState().app.paths.get('userData')).toBe(join(dataDirectory, 'electron'));
  });

  it('gives the app its ports: this host, processes by utilityProcess, calls in a session of their own', async () => {
    await startApp();
    expect(parts).toMatchObject({ host: 'electron', dataDirectory });
    parts!.launcher.launch('route', ['x']);
    expect(electronState().children[0]).toMatchObject({
      path: join(root, 'out', 'main', 'route-process.js'),
      args: ['x'],
    });
    expect(electronState().sessions.has('provider-calls')).toBe(true);
  });

  it('says in a box why it cannot start, and exits with 1', async () => {
    rmSync(join(root, 'out'), { recursive: true });
    await startApp();
    expect(electronState().errors).toEqual([expect.stringContaining('npm run build')]);
    expect(electronState().app.exitCode).toBe(1);
    // The process would have ended here; its lock with it.
    expect(electronState().windows).toEqual([]);
  });
});

describe('a second start', () => {
  it('shows the window of the first', async () => {
    await startApp();
    expect(await askInstance(dataDirectory, 'hand-over')).toEqual({ host: 'electron', url: null });
    expect(electronState().windows[0]!.focused).toBe(1);
  });

  it('hands over to a browser host by opening the address that it gives, and quits', async () => {
    const lock = lockInstance(makeDataDirectory())!;
    await lock.answerWith(() => ({ host: 'browser', url: 'http://127.0.0.1:1/enter#t' }));
    await startApp();
    expect(electronState().opened).toEqual(['http://127.0.0.1:1/enter#t']);
    expect(electronState().app.isQuitting).toBe(true);
    expect(parts).toBeNull();
    lock.release();
  });
});

function makeDataDirectory(): string {
  mkdirSync(dataDirectory, { recursive: true });
  return dataDirectory;
}

describe('the port of a page', () => {
  it('speaks the contract', async () => {
    await startApp();
    const frame = askForPort();
    expect(frame.posted).toHaveLength(1);
    const { channel, ports } = frame.posted[0]!;
    expect(channel).toBe(portOffer);
    const port = ports[0] as MessagePort;
    const client = createORPCClient<{ echo: (input: unknown) => Promise<unknown> }>(
      new RPCLink({ port }),
    );
    expect(await client.echo({ text: 'hello' })).toEqual({ text: 'hello' });
    await expect(
      (client as unknown as { keys: { reveal: () => Promise<unknown> } }).keys.reveal(),
    ).rejects.toMatchObject({ status: 404 });
    port.close();
  });

  it.each<[string, { frame?: FakeFrame | null; id?: number }]>([
    ['another frame of the same origin', { frame: new FakeFrame('app://bundle') }],
    ['a frame that is gone', { frame: null }],
    ['the contents of no window of ours', { id: 99 }],
  ])('is not given to %s', async (_name, change) => {
    await startApp();
    const frame = askForPort(change);
    expect(frame.posted).toEqual([]);
    expect(electronState().ports).toEqual([]);
  });

  it('is not given to a main frame of another origin', async () => {
    await startApp();
    electronState().windows[0]!.webContents.mainFrame.origin = 'https://evil.example';
    expect(askForPort().posted).toEqual([]);
  });

  it('is closed when its page asks again after a reload', async () => {
    await startApp();
    askForPort();
    askForPort();
    expect(electronState().ports.map((port) => port.isClosed)).toEqual([true, false]);
  });
});

describe('ending', () => {
  it('closes the app once, lets go of the data directory, and exits', async () => {
    await startApp();
    expect(lockIsFree()).toBe(false);
    electronState().app.quit();
    electronState().app.quit();
    await vi.waitFor(() => expect(electronState().app.exitCode).toBe(0));
    expect(closes).toBe(1);
    expect(lockIsFree()).toBe(true);
  });

  it('loads a crashed page again, but not for ever', async () => {
    await startApp();
    const { webContents } = electronState().windows[0]!;
    for (let crash = 0; crash < 5; crash += 1) {
      webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    }
    expect(webContents.reloads).toBe(3);
  });
});
