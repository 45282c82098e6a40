import type { Failure } from '../../contracts/failure.ts';
import { toFailure, TypedError } from '../../contracts/failure.ts';
import { cancelled } from '../runtime-error.ts';
import type { ParentChannel } from './parent-channel.ts';

/** What a handler may use besides its message. */
export interface RequestContext {
  /** Aborted by `cancel`; look at it after `breathe`. */
  readonly signal: AbortSignal;
  report(done: number, total: number): void;
  /** Lets messages that have arrived be read: native work blocks the event loop. */
  breathe(): Promise<void>;
}

/** A request read from the parent; `cancel` names the request it means. */
export type ServedMessage = { readonly type: string; readonly id: number };

/**
 * Answers the parent's requests in the order they came, one at a time: each with exactly one `done` or
 * `failed`. A cancelled request fails with code `cancelled`. A message that cannot be read is answered
 * when it carries an id, else passed over.
 *
 * @param read gives the message, or throws the reason it is none
 */
export function serveRequests<M extends ServedMessage>(
  channel: ParentChannel,
  read: (message: unknown) => M,
  handle: (message: Exclude<M, { type: 'cancel' }>, context: RequestContext) => Promise<unknown>,
): void {
  const open = new Map<number, AbortController>();
  let last: Promise<void> = Promise.resolve();

  channel.onMessage((raw) => {
    let message: M;
    try {
      message = read(raw);
    } catch (error) {
      const id = idOf(raw);
      if (id !== null) channel.post({ type: 'failed', id, failure: protocolFailure(error) });
      return;
    }
    if (message.type === 'cancel') {
      open.get(message.id)?.abort();
      return;
    }
    const controller = new AbortController();
    open.set(message.id, controller);
    last = last.then(() => answer(message as Exclude<M, { type: 'cancel' }>, controller));
  });
  channel.post({ type: 'ready' });

  async function answer(
    message: Exclude<M, { type: 'cancel' }>,
    controller: AbortController,
  ): Promise<void> {
    const { id } = message;
    const context: RequestContext = {
      signal: controller.signal,
      report: (done, total) => channel.post({ type: 'progress', id, done, total }),
      breathe: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
    };
    try {
      if (controller.signal.aborted) throw cancelled();
      const result = await handle(message, context);
      channel.post({ type: 'done', id, result });
    } catch (error) {
      channel.post({ type: 'failed', id, failure: describe(error) });
    } finally {
      open.delete(id);
    }
  }
}

function idOf(raw: unknown): number | null {
  const id = raw !== null && typeof raw === 'object' && 'id' in raw ? raw.id : null;
  return typeof id === 'number' ? id : null;
}

function protocolFailure(error: unknown): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    code: 'protocol',
    retryable: false,
    message: `The message was not understood: ${reason}`,
  };
}

function describe(error: unknown): Failure {
  return error instanceof TypedError || !(error instanceof Error)
    ? toFailure(error)
    : { code: 'internal', retryable: false, message: error.message };
}
