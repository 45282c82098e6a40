import { cancelled, RuntimeError } from '../runtime-error.ts';
import { ProcessConnection, type ConnectionOptions } from './process-connection.ts';

export interface ApartOptions extends Omit<ConnectionOptions, 'entry'> {
  readonly onProgress?: (done: number, total: number) => void;
  readonly silenceMs: number;
  /** Ends the process; the call then fails with `cancelled`. */
  readonly signal?: AbortSignal;
}

/**
 * Asks one thing of a route process started for it, which ends afterwards: what blocks, needs much memory or
 * may take its process down with it.
 *
 * @throws RuntimeError as the process said it; `process_died`, `process_hung`, `cancelled`
 */
export async function askApart(
  message: (id: number) => unknown,
  options: ApartOptions,
): Promise<unknown> {
  if (options.signal?.aborted === true) throw cancelled();
  const connection = new ProcessConnection({ ...options, entry: 'route' });
  const stop = (): void => void connection.kill(cancelled());
  options.signal?.addEventListener('abort', stop);
  try {
    await connection.ready();
    return await connection.call(message, options);
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await connection.kill(new RuntimeError('closed', 'The process has done its work.'));
  }
}
