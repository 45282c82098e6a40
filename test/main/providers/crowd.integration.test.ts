import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { plainAnswer } from '../../servers/answers.ts';
import { openAiChatFormat, startOpenAiChatServer } from '../../servers/openai-chat.ts';
import { streamHeaders } from '../../servers/provider-server.ts';
import { callOf, collect, memoryVault, slot, testPool } from './harness.ts';

const client = createHttpClient({ environment: {} });
afterAll(() => client.close());

const slots = 5;
const perSlot = 8;
const calls = 200;

describe('two hundred calls at once', () => {
  it('lose nothing, keep to the limits of their slots and leave nothing behind', async () => {
    let open = 0;
    const mostOpen = new Map<string, number>();
    const openBy = new Map<string, number>();
    const server = await startOpenAiChatServer({
      answer: (request) => {
        const { model } = request.json as { model: string };
        open += 1;
        openBy.set(model, (openBy.get(model) ?? 0) + 1);
        mostOpen.set(model, Math.max(mostOpen.get(model) ?? 0, openBy.get(model) ?? 0));
        const frames = openAiChatFormat.frames({
          ...plainAnswer,
          text: Array.from({ length: 40 }, (_, piece) => `${model}/${piece} `),
        });
        const [last = '', ...before] = frames.toReversed();
        setTimeout(() => {
          open -= 1;
          openBy.set(model, (openBy.get(model) ?? 1) - 1);
        }, 20);
        return {
          headers: streamHeaders,
          // The answer takes longer than the server counts it as open, so that the count never overstates.
          steps: [
            ...before.toReversed().map((write) => ({ write })),
            { waitMs: 25 },
            { write: last },
            { end: true },
          ],
        };
      },
    });
    const listeners: string[] = [];
    const warn = (warning: Error): void => void listeners.push(warning.name);
    process.on('warning', warn);
    try {
      const { agents } = testPool({
        bindings: Array.from({ length: slots }, (_, index) =>
          slot({
            index,
            model: `model-${index}`,
            baseUrl: `${server.origin}/v1`,
            keyRef: 'k',
            concurrency: perSlot,
          }),
        ),
        http: client.http,
        vault: memoryVault([{ id: 'k', secret: 'k'.repeat(20), origin: server.origin }]),
      });
      const stop = new AbortController();
      const crowd = (): Promise<Awaited<ReturnType<typeof collect>>[]> =>
        Promise.all(
          Array.from({ length: calls }, (_, n) =>
            collect(agents, callOf({ slot: n % slots, turn: n }), stop.signal),
          ),
        );
      const results = await crowd();
      for (const [n, { text, last }] of results.entries()) {
        expect(last.type).toBe('finished');
        expect(text).toBe(
          Array.from({ length: 40 }, (_, piece) => `model-${n % slots}/${piece} `).join(''),
        );
      }
      for (const most of mostOpen.values()) expect(most).toBeLessThanOrEqual(perSlot);
      expect(agents.slots().every(({ mask }) => mask === null)).toBe(true);

      // Warm by now: a second crowd must not make memory grow for good.
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      await crowd();
      collectGarbage();
      const grown = process.memoryUsage().heapUsed - before;
      expect(grown).toBeLessThan(8 * 1024 * 1024);
      expect(listeners).toEqual([]);
      expect(open).toBeLessThanOrEqual(calls);
      // Keep-alive connections may stay, but no more than calls ran at once.
      expect(server.openSockets).toBeLessThanOrEqual(slots * perSlot);
    } finally {
      process.off('warning', warn);
      await server.close();
    }
  });

  it('all stop when they are told to, and their sockets close', async () => {
    const server = await startOpenAiChatServer({
      answer: () => ({ headers: streamHeaders, steps: [{ write: ': wait\n\n' }, { stall: true }] }),
    });
    const { agents } = testPool({
      bindings: [slot({ baseUrl: `${server.origin}/v1`, concurrency: 40 })],
      http: client.http,
    });
    const stop = new AbortController();
    const results = Promise.all(
      Array.from({ length: calls }, () => collect(agents, callOf(), stop.signal)),
    );
    await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBe(40);
    stop.abort();
    for (const { last } of await results) expect(last).toMatchObject({ code: 'stopped' });
    await server.whenQuiet();
    expect(server.requests.length).toBe(40);
    await server.close();
  });
});

/** Two full collections, so that what is still there afterwards is held by somebody. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  gc();
  gc();
}
