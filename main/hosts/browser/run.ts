import { dataDirectoryPath } from '../data-directory.ts';
import type { CreateApp, HostParts } from '../hosted-app.ts';
import { HostError } from '../host-error.ts';
import { askInstance, lockInstance, type InstanceLock } from '../instance-lock.ts';
import type { PageFiles } from '../page-files.ts';
import { startBrowserServer, type BrowserServer } from './server.ts';

/** Tried first, so that a page's address stays the same from start to start. */
export const preferredPort = 7433;

export interface BrowserRun {
  readonly createApp: CreateApp;
  readonly parts: HostParts;
  readonly page: PageFiles;
  /** Undefined: the preferred port, or any free one when that is taken. 0: any free one. */
  readonly port: number | undefined;
  readonly allowOrigins: readonly string[];
  /** Why it is not Electron, in words; null when the browser was asked for. */
  readonly reason: string | null;
  readonly print: (text: string) => void;
  readonly openAddress: ((url: string) => Promise<boolean>) | null;
  /** Ends the host. */
  readonly signal: AbortSignal;
}

/**
 * Serves the app to a browser until its signal. When another instance holds the data directory, that one is
 * asked for an address instead.
 *
 * @throws HostError `port`, `usage`, `instance_busy`
 */
export async function runBrowserHost(run: BrowserRun): Promise<void> {
  const { dataDirectory } = run.parts;
  for (;;) {
    const lock = lockInstance(dataDirectory);
    if (lock !== null) {
      await serve(run, lock);
      return;
    }
    const answer = await askInstance(dataDirectory, 'hand-over');
    // Null: the holder ended between the two questions.
    if (answer === null) continue;
    if (answer.url === null) run.print('Trinity Desktop is running already: see its window.\n');
    else await show(run, answer.url, 'Trinity Desktop is running already.');
    return;
  }
}

async function serve(run: BrowserRun, lock: InstanceLock): Promise<void> {
  try {
    const hosted = await run.createApp(run.parts);
    try {
      const server = await startServer(run, hosted.router);
      try {
        await lock.answerWith(() => ({ host: 'browser', url: server.address() }));
        const because = run.reason === null ? '' : `, not in Electron: ${run.reason}`;
        await show(run, server.address(), `Trinity Desktop runs in the browser${because}.`);
        run.print(`Data: ${run.parts.dataDirectory}\nEnd with Ctrl-C.\n`);
        await aborted(run.signal);
      } finally {
        await server.close();
      }
    } finally {
      await hosted.close();
    }
  } finally {
    lock.release();
  }
}

async function startServer(
  { page, parts, port, allowOrigins }: BrowserRun,
  router: Parameters<typeof startBrowserServer>[0]['router'],
): Promise<BrowserServer> {
  const options = { router, page, clock: parts.clock, allowOrigins };
  if (port !== undefined) return startBrowserServer({ ...options, port });
  try {
    return await startBrowserServer({ ...options, port: preferredPort });
  } catch (error) {
    if (!(error instanceof HostError && error.code === 'port')) throw error;
    return startBrowserServer({ ...options, port: 0 });
  }
}

async function show(run: BrowserRun, url: string, headline: string): Promise<void> {
  const isOpened = run.openAddress !== null && (await run.openAddress(url));
  run.print(
    `\n${headline}\n\n  ${url}\n\n` +
      `${isOpened ? 'Your browser opens it. ' : ''}The address works once, within an hour. ` +
      `For a fresh one: npm start again, or npm run -s trinity -- url${dataDirectoryOption(run)}.\n`,
  );
}

/** What another command needs to find this data directory; nothing where it is the usual one. */
function dataDirectoryOption({ parts: { dataDirectory } }: BrowserRun): string {
  return dataDirectory === dataDirectoryPath(undefined)
    ? ''
    : ` --data-dir ${JSON.stringify(dataDirectory)}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
