import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../contracts/agents.ts';
import type { HttpClient } from '../../../../contracts/ports.ts';
import { SettlingClock } from './waiting.ts';
import { callOf, collect, shapeOf, slot, testPool } from '../harness.ts';

const timeouts = { connectMs: 1_000, firstTokenMs: 5_000, idleMs: 2_000, totalMs: 60_000 };

function pool(http: HttpClient, clock: SettlingClock): ReturnType<typeof testPool> {
  return testPool({
    bindings: [slot({ baseUrl: 'http://localhost:1/v1', timeouts })],
    http,
    clock,
  });
}

/** A body that is fed by hand and never notices an abort. */
function handFed(): {
  body: ReadableStream<Uint8Array>;
  feed(text: string): void;
  cancelled: boolean;
} {
  let control: ReadableStreamDefaultController<Uint8Array>;
  const fed = {
    cancelled: false,
    body: new ReadableStream<Uint8Array>({
      start: (controller) => void (control = controller),
      cancel: () => void (fed.cancelled = true),
    }),
    feed: (text: string) => control.enqueue(Buffer.from(text)),
  };
  return fed;
}

const delta = (text: string): string =>
  `data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\n`;

describe('a network stack that does not listen', () => {
  it('does not delay a Stop before its headers', async () => {
    const stop = new AbortController();
    const { agents } = pool(() => new Promise(() => undefined), new SettlingClock());
    const call = collect(agents, callOf(), stop.signal);
    setImmediate(() => stop.abort());
    expect((await call).last).toMatchObject({ code: 'stopped' });
  });

  it('does not delay a Stop mid-stream, and has its body cancelled', async () => {
    const fed = handFed();
    const stop = new AbortController();
    const { agents } = pool(() => Promise.resolve(new Response(fed.body)), new SettlingClock());
    fed.feed(delta('Four'));
    const events: AgentEvent[] = [];
    for await (const event of agents.call(callOf(), stop.signal)) {
      events.push(event);
      if (event.type === 'delta') stop.abort();
    }
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:stopped']);
    expect(events).toContainEqual({ type: 'delta', channel: 'text', text: 'Four' });
    expect(fed.cancelled).toBe(true);
  });
});

describe('an answer that breaks off', () => {
  it('is booked with the usage that the provider had told by then', async () => {
    const told = { choices: [], usage: { prompt_tokens: 41, completion_tokens: 7 } };
    const body = `${delta('Four')}data: ${JSON.stringify(told)}\n\n`;
    const { agents, spending } = pool(
      () => Promise.resolve(new Response(body)),
      new SettlingClock(),
    );
    expect((await collect(agents)).last).toMatchObject({ code: 'stream_cut' });
    expect(spending.totals()).toMatchObject([{ calls: 1, inputTokens: 41, outputTokens: 7 }]);
  });
});

describe('deadlines of an attempt', () => {
  it('begin with the request, pass to idle with the first piece, and start anew with every byte', async () => {
    const clock = new SettlingClock();
    const fed = handFed();
    const { agents } = pool(() => Promise.resolve(new Response(fed.body)), clock);
    const call = collect(agents);
    await clock.whenTimers(2);
    clock.advance(4_900);
    fed.feed(delta('a'));
    await clock.settled();
    for (let piece = 0; piece < 3; piece += 1) {
      clock.advance(1_900);
      fed.feed(delta('b'));
      await clock.settled();
    }
    clock.advance(2_000);
    const { events, text } = await call;
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:idle_timeout']);
    expect(text).toBe('abbb');
    expect(clock.pendingTimers).toBe(0);
  });

  it('do not take comments of a server for a token', async () => {
    const clock = new SettlingClock();
    const fed = handFed();
    const { agents } = pool(() => Promise.resolve(new Response(fed.body)), clock);
    const call = collect(agents);
    await clock.whenTimers(2);
    for (let comment = 0; comment < 5; comment += 1) {
      fed.feed(': waiting\n\n');
      await clock.settled();
      clock.advance(1_000);
    }
    expect(shapeOf((await call).events)).toEqual(['started', 'failed:first_token_timeout']);
  });

  it('leave no timer behind a good answer', async () => {
    const clock = new SettlingClock();
    const body = `${delta('Four')}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
    const { agents } = pool(() => Promise.resolve(new Response(body)), clock);
    expect((await collect(agents)).last.type).toBe('finished');
    expect(clock.pendingTimers).toBe(0);
  });
});
