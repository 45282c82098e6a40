import type { AppParts } from '../../app-parts.ts';
import { createApp, type App } from '../../app.ts';
import { createHttpClient } from '../http-client.ts';
import { nativeLogTo } from '../native-log.ts';
import { createSystemClock } from '../system-clock.ts';
import { createSystemRandom } from '../system-random.ts';
import { openLayout, type GlobalOptions } from './active-router.ts';
import type { TerminalContext } from './context.ts';
import { openTerminalVault } from './terminal-vault.ts';

/** What a command decides about its app; the rest is the same for all of them. */
type CommandParts = Pick<AppParts, 'overrides' | 'isEphemeral' | 'traceFile' | 'rehearsal'>;

export interface TerminalApp {
  readonly app: App;
  readonly dataDirectory: string;
  close(): Promise<void>;
}

/**
 * Opens the app of the data directory that the options name. No router is loaded and no process started.
 *
 * @throws TypedError what the app refuses, by its code
 */
export async function openTerminalApp(
  context: TerminalContext,
  options: GlobalOptions & { readonly base?: string },
  parts: CommandParts,
): Promise<TerminalApp> {
  const { dataDirectory, baseFolders } = openLayout(context, options);
  const random = createSystemRandom();
  const client = createHttpClient({ environment: context.env });
  const app = await createApp({
    ...parts,
    host: 'terminal',
    dataDirectory,
    launcher: context.launcher,
    vault: openTerminalVault(context.env, dataDirectory, random),
    httpClient: client.http,
    clock: createSystemClock(),
    random,
    ...(options.debugNative === true && { onLog: nativeLogTo(context.stderr) }),
    baseFolders: options.base === undefined ? baseFolders : [options.base, ...baseFolders],
  });
  return {
    app,
    dataDirectory,
    close: async () => {
      await app.close();
      await client.close();
    },
  };
}
