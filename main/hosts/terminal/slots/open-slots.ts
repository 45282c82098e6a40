import { createRouterClient, ORPCError, type RouterClient } from '@orpc/server';
import { failureSchema, TypedError } from '../../../../contracts/failure.ts';
import type { App } from '../../../app.ts';
import type { GlobalOptions } from '../active-router.ts';
import type { TerminalContext } from '../context.ts';
import { openTerminalApp } from '../open-terminal-app.ts';

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
  const { app, close } = await openTerminalApp(context, options, { isEphemeral: true });
  try {
    for (const { message } of app.notices()) context.stderr.write(`note: ${message}\n`);
    return await work(createRouterClient(app.router).slots, app);
  } catch (error) {
    throw typed(error);
  } finally {
    await close();
  }
}

function typed(error: unknown): unknown {
  if (!(error instanceof ORPCError)) return error;
  const failure = failureSchema.safeParse(error.data);
  return failure.success
    ? new TypedError(failure.data.code, failure.data.message, { cause: error })
    : error;
}
