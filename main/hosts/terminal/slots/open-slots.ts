import { createRouterClient, ORPCError, type RouterClient } from '@orpc/server';
import { failureSchema, TypedError } from '../../../../contracts/failure.ts';
import { createApp, type App } from '../../../app.ts';
import { plainCipher } from '../../../settings/keys/secret-cipher.ts';
import { openLayout, type GlobalOptions } from '../active-router.ts';
import type { TerminalContext } from '../context.ts';
import { openHostVault } from '../../host-vault.ts';
import { createHttpClient } from '../../http-client.ts';
import { createSystemClock } from '../../system-clock.ts';
import { createSystemRandom } from '../../system-random.ts';

/** The slots of the app, asked the way a window asks: the terminal can do no more with keys than it can. */
export type SlotClient = RouterClient<App['router']>['slots'];

/**
 * Opens the app of a data directory for as long as `work` takes. No router is loaded and no process started.
 *
 * @throws TypedError what the app refuses, by its code
 */
export async function withSlots<T>(
  context: TerminalContext,
  options: GlobalOptions,
  work: (slots: SlotClient, app: App) => Promise<T>,
): Promise<T> {
  const { dataDirectory, baseFolders } = openLayout(context, options);
  const random = createSystemRandom();
  const client = createHttpClient({ environment: context.env });
  const app = await createApp({
    host: 'terminal',
    dataDirectory,
    launcher: context.launcher,
    vault: openHostVault({
      dataDirectory,
      program: 'the terminal program',
      ciphers: [plainCipher],
      env: context.env,
      random,
    }),
    httpClient: client.http,
    clock: createSystemClock(),
    random,
    baseFolders,
    isEphemeral: true,
  });
  try {
    for (const { message } of app.notices()) context.stderr.write(`note: ${message}\n`);
    return await work(createRouterClient(app.router).slots, app);
  } catch (error) {
    throw typed(error);
  } finally {
    await app.close();
    await client.close();
  }
}

function typed(error: unknown): unknown {
  if (!(error instanceof ORPCError)) return error;
  const failure = failureSchema.safeParse(error.data);
  return failure.success
    ? new TypedError(failure.data.code, failure.data.message, { cause: error })
    : error;
}
