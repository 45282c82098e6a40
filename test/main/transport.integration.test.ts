import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { RPCHandler } from '@orpc/server/message-port';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamWindow } from '../../contracts/app/chat.ts';
import { failureSchema } from '../../contracts/failure.ts';
import { openApp, type AppClient } from './open-app.ts';

/** An app with a page on the other end of a port. The rehearsal agents say `pieces` words and stall. */
async function openPage(pieces: number) {
  const entries = [{ reply: 'word '.repeat(pieces), stall: 'after' }];
  const script = JSON.stringify({ version: 1, entries });
  const { app } = await openApp({ rehearsal: { paceMs: 0, script } });
  const connect = (): { client: AppClient; port: MessagePort } => {
    const { port1, port2 } = new MessageChannel();
    new RPCHandler(app.router).upgrade(port1, { context: {} });
    port1.start();
    port2.start();
    onTestFinished(() => port2.close());
    const client: AppClient = createORPCClient(new RPCLink({ port: port2 }));
    return { client, port: port2 };
  };
  return { app, connect };
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('the app over a port', () => {
  it('says what went wrong with its code and sentence', async () => {
    const { connect } = await openPage(1);
    const { client } = connect();
    const calls = [
      client.chat.get({ id: 'none' }),
      client.chat.attach({ runId: 'none', fromSeq: 0 }),
      client.models.select({ router: 'gone-1', profile: 'cpu-f32' }),
    ];
    const codes = await Promise.all(
      calls.map(async (call) => {
        const error: unknown = await call.catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ORPCError);
        return failureSchema.parse((error as ORPCError<string, unknown>).data).code;
      }),
    );
    expect(codes).toEqual(['not_found', 'not_found', 'router_not_found']);
  });

  it('sends a page that stops reading no more than its window, and another page everything', async () => {
    const { app, connect } = await openPage(5 * streamWindow);
    const [stalled, keen] = [connect().client, connect().client];
    const { id } = await keen.chat.create({});
    const { runId } = await keen.chat.start({ conversationId: id, text: 'Talk.' });
    const seen = { stalled: -1, keen: -1 };
    const follow = async (page: AppClient, name: keyof typeof seen): Promise<void> => {
      let streamId = '';
      for await (const message of await page.chat.attach({ runId, fromSeq: 0 })) {
        if (message.kind === 'opened') streamId = message.streamId;
        else seen[name] = message.events.at(-1)?.seq ?? seen[name];
        if (name === 'keen') await page.chat.acknowledge({ streamId, seq: seen.keen });
      }
    };
    // The port under the stalled page is closed with the test.
    void follow(stalled, 'stalled').catch(() => undefined);
    const end = follow(keen, 'keen');
    await until(() => seen.keen > 5 * streamWindow);
    expect(seen.stalled).toBe(streamWindow - 1);
    await keen.chat.stop({ runId });
    await end;
    expect((await keen.chat.get({ id })).runs[0]).toMatchObject({
      status: 'stopped',
      lastSeq: seen.keen,
    });
    expect(app.conversations.runs.openStreams).toBe(1);
  });

  it('lets go of the streams of a page that leaves or is gone, while the run goes on', async () => {
    const { app, connect } = await openPage(10);
    const stays = connect().client;
    const { id } = await stays.chat.create({});
    const { runId } = await stays.chat.start({ conversationId: id, text: 'Talk.' });
    const leaves = connect();
    const isGone = connect();
    const leaving = await leaves.client.chat.attach({ runId, fromSeq: 0 });
    const going = await isGone.client.chat.attach({ runId, fromSeq: 0 });
    const changes = await isGone.client.chat.changes({});
    for (const stream of [leaving, going]) await stream.next();
    const waiting = changes.next().catch(() => undefined);
    await until(() => app.conversations.runs.openStreams === 2);
    await until(() => app.conversations.changes.size === 1);
    await leaving.return();
    await until(() => app.conversations.runs.openStreams === 1);
    isGone.port.close();
    await until(() => app.conversations.runs.openStreams === 0);
    await until(() => app.conversations.changes.size === 0);
    await waiting;
    expect((await stays.chat.get({ id })).liveRunId).toBe(runId);
  });

  it('shows a second page what happens in the first', async () => {
    const { connect } = await openPage(1);
    const [first, second] = [connect().client, connect().client];
    const changes = await second.chat.changes({});
    const next = async () => (await changes.next()).value;
    const heard = next();
    await until(async () => (await first.chat.list({})).conversations.length === 0);
    const { id } = await first.chat.create({});
    expect(await heard).toEqual({ kind: 'conversation', id });
    const { runId } = await first.chat.start({ conversationId: id, text: 'Talk.' });
    expect(await next()).toEqual({ kind: 'run_started', id, runId });
    expect((await second.chat.get({ id })).liveRunId).toBe(runId);
    await first.chat.remove({ id });
    expect([await next(), await next()]).toEqual([
      { kind: 'run_ended', id, runId },
      { kind: 'conversation_removed', id },
    ]);
  });
});
