import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hasDisplay } from '../main/hosts/open-address.ts';
import { buildIfStale } from './build-if-stale.ts';
import { electronBinary, fetchElectron } from './electron-binary.ts';
import { readStartOptions, usage, type StartOptions } from './start-options.ts';

/** `npm start`: Electron where it can run, else the browser host, and says why. */
const root = fileURLToPath(new URL('..', import.meta.url));
const print = (text: string): void => void process.stdout.write(text);

const options = readStartOptions(process.argv.slice(2));
if (typeof options === 'string') {
  process.stderr.write(`${options}\n\n${usage}`);
  process.exitCode = 2;
} else if (options.help) {
  print(usage);
} else {
  process.exitCode = await start(options);
}

async function start(wanted: StartOptions): Promise<number> {
  if (wanted.host === 'browser') return startBrowser(wanted, null);
  const found = findElectron();
  let reason: string | null = found.reason;
  if (found.binary !== null) {
    if (!buildIfStale(root, 'electron', print)) return 1;
    const end = await runElectron(found.binary, wanted);
    if (end.reason === null) return end.code;
    reason = end.reason;
  }
  if (wanted.host === 'electron') {
    process.stderr.write(
      `Electron cannot run here: ${reason}. ` +
        '`npm start -- --browser` serves the same program to your browser.\n',
    );
    return 1;
  }
  return startBrowser(wanted, reason);
}

function findElectron(): { binary: string; reason: null } | { binary: null; reason: string } {
  if (!hasDisplay()) return { binary: null, reason: 'there is no display' };
  const present = electronBinary(root);
  if (present !== null) return { binary: present, reason: null };
  if (process.env['ELECTRON_SKIP_BINARY_DOWNLOAD']) {
    return { binary: null, reason: 'its runtime is absent and is not to be fetched' };
  }
  print('Fetching the Electron runtime, once, about 120 MB …\n');
  const failure = fetchElectron(root);
  const fetched = failure === null ? electronBinary(root) : null;
  return fetched === null
    ? { binary: null, reason: failure ?? 'its runtime is absent' }
    : { binary: fetched, reason: null };
}

/** How the window program ended: its exit code, or the reason why it never came up. */
type ElectronEnd = { readonly reason: null; readonly code: number } | { readonly reason: string };

function runElectron(binary: string, wanted: StartOptions): Promise<ElectronEnd> {
  const args = [root];
  // Chromium refuses to run as root with its sandbox.
  if (process.platform === 'linux' && process.getuid?.() === 0) args.unshift('--no-sandbox');
  if (wanted.dataDirectory !== undefined) args.push('--data-dir', wanted.dataDirectory);
  if (wanted.debugNative) args.push('--debug-native');
  const { ELECTRON_RUN_AS_NODE: _unset, ...env } = process.env;
  return new Promise((resolve) => {
    const child = spawn(binary, args, { stdio: 'inherit', env });
    child.on('error', ({ message }) => resolve({ reason: `it does not start (${message})` }));
    const end = (): void => void child.kill();
    process.on('SIGTERM', end);
    // Ctrl-C reaches the child by itself: it has the same terminal.
    process.on('SIGINT', ignore);
    child.on('exit', (code, signal) => {
      process.off('SIGTERM', end);
      process.off('SIGINT', ignore);
      // 127: the system misses a library that Electron needs.
      if (code === 127) return void resolve({ reason: 'a system library is missing' });
      // Ctrl-C and a polite end are no failure.
      const isEnded = code === 0 || signal === 'SIGINT' || signal === 'SIGTERM';
      if (!isEnded) {
        process.stderr.write(
          `Electron ended with ${signal ?? `code ${code}`}. \`npm start -- --browser\` serves the same program to your browser.\n`,
        );
      }
      resolve({ reason: null, code: isEnded ? 0 : (code ?? 1) });
    });
  });
}

function ignore(): void {}

async function startBrowser(wanted: StartOptions, reason: string | null): Promise<number> {
  if (!buildIfStale(root, 'page', print)) return 1;
  const { serveInBrowser } = await import('../main/hosts/browser/main.ts');
  return serveInBrowser({ ...wanted, root, reason, print });
}
