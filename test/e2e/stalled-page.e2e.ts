import { randomUUID } from 'node:crypto';
import { streamWindow } from '../../contracts/app/chat.ts';
import { endsRun, type RunEvent } from '../../contracts/events.ts';
import { startAgents, type Agents } from './agents.ts';
import { openApiPage, useAgents, type ApiClient } from './api-client.ts';
import { expect, test } from './fixtures.ts';

const pieces = 20_000;

let agents: Agents;
test.beforeAll(async ({ host }) => {
  agents = await startAgents();
  const page = await openApiPage(host);
  await useAgents(page.client, agents);
  page.close();
});
test.afterAll(() => agents.server.close());

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
  const stalled = await openApiPage(host);
  const lively = await openApiPage(host);
  const { id } = await lively.client.chat.create({});
  const before = host.residentBytes();
  const { runId } = await lively.client.chat.start({
    conversationId: id,
    text: randomUUID(),
    pins: {},
  });

  // It attaches, and then neither reads nor acknowledges anything.
  const stream = await stalled.client.chat.attach({ runId, fromSeq: 0 });
  let sent = 0;
  const reading = (async () => {
    for await (const item of stream) if (item.kind === 'events') sent += item.events.length;
  })().catch(() => undefined);

  const events = await follow(lively.client, runId);
  const text = events.flatMap((event) => (event.type === 'delta' ? [event.text] : [])).join('');
  expect(text).toContain(`word${pieces - 1} `);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(sent).toBeLessThanOrEqual(streamWindow);
  expect(events.length).toBeGreaterThan(streamWindow);
  // Generous: the run itself is a few megabytes. A queue of every event for every page would be far more.
  expect(host.residentBytes() - before).toBeLessThan(300 * 1024 * 1024);

  stalled.close();
  await reading;
  lively.close();
});
