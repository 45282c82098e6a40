import { join } from 'node:path';
import { openApp } from '../open-app.ts';
import { plainCipher } from '../../settings/keys/secret-cipher.ts';
import { dataDirectoryPath, openDataDirectory } from '../data-directory.ts';
import { createForkLauncher } from '../fork-launcher.ts';
import { openHostVault } from '../host-vault.ts';
import { createHttpClient } from '../http-client.ts';
import { nativeLogTo } from '../native-log.ts';
import { openAddress } from '../open-address.ts';
import { loadPageFiles } from '../page-files.ts';
import { createSystemClock } from '../system-clock.ts';
import { createSystemRandom } from '../system-random.ts';
import { runBrowserHost } from './run.ts';

export interface ServeOptions {
  /** Folder that holds `out/renderer`, the built page. */
  readonly root: string;
  readonly port: number | undefined;
  readonly open: boolean;
  readonly dataDirectory: string | undefined;
  readonly allowOrigins: readonly string[];
  /** Shows the native runtime's own log lines on stderr. */
  readonly debugNative: boolean;
  readonly reason: string | null;
  readonly print: (text: string) => void;
}

/**
 * Runs the browser host until Ctrl-C or SIGTERM. A second Ctrl-C ends it at once.
 *
 * @returns the exit code; what went wrong has then been printed
 */
export async function serveInBrowser(options: ServeOptions): Promise<number> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (ending.signal.aborted) process.exit(130);
      ending.abort();
    });
  }
  const random = createSystemRandom();
  const client = createHttpClient({ environment: process.env });
  try {
    const dataDirectory = openDataDirectory(dataDirectoryPath(options.dataDirectory));
    await runBrowserHost({
      createApp: openApp,
      parts: {
        host: 'browser',
        dataDirectory,
        launcher: createForkLauncher({ env: process.env }),
        vault: openHostVault({
          dataDirectory,
          random,
          program: 'the browser host',
          ciphers: [plainCipher],
          env: process.env,
        }),
        httpClient: client.http,
        clock: createSystemClock(),
        random,
        ...(options.debugNative && { onLog: nativeLogTo(process.stderr) }),
      },
      page: loadPageFiles(join(options.root, 'out', 'renderer')),
      port: options.port,
      allowOrigins: options.allowOrigins,
      reason: options.reason,
      print: options.print,
      openAddress: options.open ? openAddress : null,
      signal: ending.signal,
    });
    return 0;
  } catch (error) {
    options.print(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await client.close();
  }
}
