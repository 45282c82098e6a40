import { describe, expect, it } from 'vitest';
import type { ParentChannel } from '../../../model-runtime/process/parent-channel.ts';
import {
  serveRequests,
  type RequestContext,
} from '../../../model-runtime/process/process-server.ts';
import { toProcessSchema, type ToProcess } from '../../../model-runtime/process/protocol.ts';
import { cancelled, RuntimeError } from '../../../model-runtime/runtime-error.ts';

type Handler = (message: ToProcess, context: RequestContext) => Promise<unknown>;

function serve(handle: Handler) {
  const sent: unknown[] = [];
  let deliver: (message: unknown) => void = () => undefined;
  const channel: ParentChannel = {
    post: (message) => sent.push(message),
    onMessage: (listener) => (deliver = listener),
    onClose: () => undefined,
  };
  serveRequests(channel, (message) => toProcessSchema.parse(message), handle);
  return { sent, deliver };
}

const probe = (id: number) => ({ type: 'probe', id, profile: 'cuda' });

async function settle(): Promise<void> {
  for (let step = 0; step < 10; step += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('serveRequests', () => {
  it('says that it is ready, then answers in order, one at a time', async () => {
    let running = 0;
    const { sent, deliver } = serve(async ({ id }, { breathe, report }) => {
      running += 1;
      expect(running).toBe(1);
      report(1, 2);
      await breathe();
      running -= 1;
      return id * 10;
    });
    deliver(probe(1));
    deliver(probe(2));
    await settle();
    expect(sent).toEqual([
      { type: 'ready' },
      { type: 'progress', id: 1, done: 1, total: 2 },
      { type: 'done', id: 1, result: 10 },
      { type: 'progress', id: 2, done: 1, total: 2 },
      { type: 'done', id: 2, result: 20 },
    ]);
  });

  it('reads a cancel between two steps, of the running and of a waiting request', async () => {
    const started: number[] = [];
    const { sent, deliver } = serve(async ({ id }, { breathe, signal }) => {
      started.push(id);
      for (;;) {
        await breathe();
        if (signal.aborted) throw cancelled();
      }
    });
    deliver(probe(1));
    deliver(probe(2));
    await settle();
    deliver({ type: 'cancel', id: 2 });
    deliver({ type: 'cancel', id: 1 });
    deliver({ type: 'cancel', id: 99 });
    await settle();
    expect(started).toEqual([1]);
    expect(sent.slice(1)).toMatchObject([
      { type: 'failed', id: 1, failure: { code: 'cancelled' } },
      { type: 'failed', id: 2, failure: { code: 'cancelled' } },
    ]);
  });

  it('answers a failure with its code, and an untyped one as internal', async () => {
    const { sent, deliver } = serve(({ id }) => {
      if (id === 1) throw new RuntimeError('too_long', 'Too long.');
      return Promise.reject(new TypeError('x is undefined'));
    });
    deliver(probe(1));
    deliver(probe(2));
    await settle();
    expect(sent.slice(1)).toEqual([
      {
        type: 'failed',
        id: 1,
        failure: { code: 'too_long', retryable: false, message: 'Too long.' },
      },
      {
        type: 'failed',
        id: 2,
        failure: { code: 'internal', retryable: false, message: 'x is undefined' },
      },
    ]);
  });

  it('answers a message that it cannot read where there is an id, and passes over any other', async () => {
    const { sent, deliver } = serve(() => Promise.resolve(null));
    for (const message of [null, 7, 'route', {}, { type: 'route' }]) deliver(message);
    deliver({ type: 'route', id: 4, request: { messages: 'none' } });
    await settle();
    expect(sent.slice(1)).toMatchObject([{ type: 'failed', id: 4, failure: { code: 'protocol' } }]);
  });
});
