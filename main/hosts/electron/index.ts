import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  MessageChannelMain,
  net,
  protocol,
  safeStorage,
  session,
  shell,
  utilityProcess,
} from 'electron';
import { dataDirectoryPath, openDataDirectory } from '../data-directory.ts';
import { openHostVault } from '../host-vault.ts';
import type { CreateApp, HostedApp } from '../hosted-app.ts';
import { askInstance, lockInstance, type InstanceLock } from '../instance-lock.ts';
import { nativeLogTo } from '../native-log.ts';
import { loadPageFiles } from '../page-files.ts';
import { createSystemClock } from '../system-clock.ts';
import { createSystemRandom } from '../system-random.ts';
import { menuTemplate } from './menu.ts';
import { createNetHttpClient } from './net-http-client.ts';
import { offerPagePorts } from './page-ports.ts';
import { declarePageScheme, servePage } from './page-scheme.ts';
import { desktopCiphers } from './safe-storage-cipher.ts';
import { guardContents, guardSession } from './security.ts';
import { createUtilityLauncher } from './utility-launcher.ts';
import { focusWindow, openWindow } from './window.ts';

/**
 * Runs the app in Electron: one window, one instance for each data directory. Resolves when the window has been
 * opened, or when another instance has been asked to show itself.
 */
export async function start(createApp: CreateApp, args = process.argv.slice(1)): Promise<void> {
  // Both only count before the app is ready.
  declarePageScheme(protocol);
  app.enableSandbox();
  try {
    const { dataDirectory, isNativeShown } = readArguments(args);
    const path = openDataDirectory(dataDirectoryPath(dataDirectory));
    const onLog = isNativeShown ? { onLog: nativeLogTo(process.stderr) } : {};
    await startIn(path, (parts) => createApp({ ...parts, ...onLog }));
  } catch (error) {
    dialog.showErrorBox('Trinity Desktop', error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
}

async function startIn(dataDirectory: string, createApp: CreateApp): Promise<void> {
  // Chromium's own files; the key that protects stored secrets is among them.
  app.setPath('userData', join(dataDirectory, 'electron'));
  const lock = await lockOrHandOver(dataDirectory);
  if (lock === null) {
    app.quit();
    return;
  }
  try {
    await startWith(lock, dataDirectory, createApp);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startWith(
  lock: InstanceLock,
  dataDirectory: string,
  createApp: CreateApp,
): Promise<void> {
  await app.whenReady();
  app.on('web-contents-created', (_event, contents) =>
    guardContents(contents, (url) => void shell.openExternal(url)),
  );
  guardSession(session.defaultSession);
  const root = app.getAppPath();
  servePage(protocol, loadPageFiles(join(root, 'out', 'renderer')));

  const clock = createSystemClock();
  const random = createSystemRandom();
  const hosted = await createApp({
    host: 'electron',
    dataDirectory,
    assets: join(root, 'assets'),
    clock,
    random,
    vault: openHostVault({
      dataDirectory,
      random,
      program: 'the desktop app',
      ciphers: await desktopCiphers(safeStorage, process.platform),
      env: process.env,
    }),
    httpClient: createNetHttpClient(net, session.fromPartition('provider-calls')),
    launcher: createUtilityLauncher({
      app,
      clock,
      fork: (path, forkArgs, options) => utilityProcess.fork(path, forkArgs, options),
      entries: {
        route: join(root, 'out', 'main', 'route-process.js'),
        build: join(root, 'out', 'main', 'build-process.js'),
      },
    }),
  });
  endWith(hosted, lock);

  const isDevelopment = !app.isPackaged;
  const windowParts = {
    preload: join(root, 'out', 'preload', 'index.cjs'),
    icon: join(root, 'assets', 'icons', 'icon.png'),
    isDevelopment,
  };
  const showWindow = (): void => {
    const [window] = BrowserWindow.getAllWindows();
    if (window !== undefined) focusWindow(window);
    else openWindow(windowParts);
  };
  offerPagePorts({
    ipc: ipcMain,
    router: hosted.router,
    createChannel: () => new MessageChannelMain(),
    isOurs: (id) => BrowserWindow.getAllWindows().some((window) => window.webContents.id === id),
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(process.platform, isDevelopment)));
  app.on('activate', showWindow);
  await lock.answerWith(() => {
    showWindow();
    return { host: 'electron', url: null };
  });
  showWindow();
}

/**
 * The lock, or null when another instance holds the data directory: it has then shown itself, or we have opened
 * the address that it gave.
 */
async function lockOrHandOver(dataDirectory: string): Promise<InstanceLock | null> {
  for (;;) {
    const lock = lockInstance(dataDirectory);
    if (lock !== null) return lock;
    const answer = await askInstance(dataDirectory, 'hand-over');
    // Null: the holder ended between the two questions.
    if (answer === null) continue;
    if (answer.url !== null) await shell.openExternal(answer.url);
    return null;
  }
}

/** Ends in order: runs keep their text, child processes go, the data directory is let go. */
function endWith(hosted: HostedApp, lock: InstanceLock): void {
  let ending: Promise<void> | null = null;
  app.on('before-quit', (event) => {
    event.preventDefault();
    ending ??= hosted.close().finally(() => {
      lock.release();
      app.exit(0);
    });
  });
  // macOS keeps an app without windows; elsewhere the last window ends it.
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
}

/** Our arguments; Electron and Chromium take flags of their own, which are not ours to judge. */
function readArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: { 'data-dir': { type: 'string' }, 'debug-native': { type: 'boolean' } },
    strict: false,
  });
  const dataDirectory = values['data-dir'];
  return {
    dataDirectory: typeof dataDirectory === 'string' ? dataDirectory : undefined,
    isNativeShown: values['debug-native'] === true,
  };
}
