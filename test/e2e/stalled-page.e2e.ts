import { randomUUID } from 'node:crypto';
import { streamWindow } from '../../contracts/app/chat.ts';
import { endsRun, type RunEvent } from '../../contracts/events.ts';
import { startAgents, type Agents } from './agents.ts';
import { asPage, openApiPage, useAgents, useRehearsal, type ApiClient } from './api-client.ts';
import { expect, test } from './fixtures.ts';

const pieces = 1_500;
/** Streams that the stalled page leaves unread. */
const stalledStreams = 60;
/** Measured: 9 MiB as it is, 35 where every window waits in the host, 550 where every stream does. */
const heldLimit = 128 * 2 ** 20;

let agents: Agents;
test.beforeAll(async ({ host }) => {
  agents = await startAgents();
  await asPage(host, (client) => useAgents(client, agents));
});
test.afterAll(async ({ host }) => {
  await asPage(host, useRehearsal);
  await agents.server.close();
});

/** Follows a run to its end, acknowledging what it takes. */
async function follow(client: ApiClient, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  let streamId = '';
  for await (const item of await client.chat.attach({ runId, fromSeq: 0 })) {
    if (item.kind === 'opened') streamId = item.streamId;
    else {
      events.push(...item.events);
      await client.chat.acknowledge({ streamId, seq: events.at(-1)?.seq ?? -1 });
    }
    if (events.some(endsRun)) break;
  }
  return events;
}

test('a page that stops reading slows nobody, is sent no more than its window, and costs no memory', async ({
  host,
}) => {
  agents.flood(pieces);
  const lively = await openApiPage(host);
  const { id } = await lively.client.chat.create({});
  const flood = () =>
    lively.client.chat.start({ conversationId: id, text: randomUUID(), pins: {} });
  // What a first flood leaves behind, such as the run itself and compiled code, is no cost of the stalled page.
  await follow(lively.client, (await flood()).runId);
  const before = await host.heldBytes();

  const stalled = await openApiPage(host);
  const { runId } = await flood();
  // It attaches again and again, takes what it is sent for a while, and acknowledges nothing.
  let sent = 0;
  const streams = await Promise.all(
    Array.from({ length: stalledStreams }, () => stalled.client.chat.attach({ runId, fromSeq: 0 })),
  );
  const reading = streams.map(async (stream) => {
    for await (const item of stream) if (item.kind === 'events') sent += item.events.length;
  });
  await expect.poll(() => sent).toBeGreaterThan(0);
  stalled.socket.pause();

  const events = await follow(lively.client, runId);
  const text = events.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join('');
  expect(text).toContain(`word${pieces - 1} `);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  const held = (await host.heldBytes()) - before;
  expect(held).toBeLessThan(heldLimit);

  // Reading again, it is sent its window, and no more until it acknowledges.
  stalled.socket.resume();
  await expect.poll(() => sent).toBeGreaterThanOrEqual(streamWindow * stalledStreams);
  await stalled.client.chat.list({});
  expect(sent).toBe(streamWindow * stalledStreams);
  expect(events.length).toBeGreaterThan(streamWindow);

  stalled.close();
  await Promise.allSettled(reading);
  lively.close();
});
