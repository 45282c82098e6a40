import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../contracts/ports.ts';
import type { SlotBindingInput } from '../../../contracts/slots.ts';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { plainAnswer } from '../../servers/answers.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { googleGeminiFormat } from '../../servers/google-gemini.ts';
import { openAiChatFormat } from '../../servers/openai-chat.ts';
import {
  faultReply,
  jsonReply,
  streamHeaders,
  streamReply,
  type ProviderFormat,
} from '../../servers/provider-server.ts';
import {
  startScriptedServer,
  type Replier,
  type Reply,
  type ScriptedServer,
  type Step,
} from '../../servers/scripted-server.ts';
import { callOf, collect, hastyClock, memoryVault, shapeOf, slot, testPool } from './harness.ts';

const key = 'planted-key-0123456789abcdef';
const client = createHttpClient({ environment: {} });
const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => client.close());

const formats = [
  ['Chat Completions', openAiChatFormat],
  ['Gemini, which has no end mark,', googleGeminiFormat],
] as const;

async function serve(reply: Replier, tls?: { key: string; cert: string }): Promise<ScriptedServer> {
  const server = await startScriptedServer(reply, tls ?? null);
  servers.push(server);
  return server;
}

function poolFor(
  origin: string,
  format: ProviderFormat = openAiChatFormat,
  options: {
    readonly timeouts?: SlotBindingInput['timeouts'];
    readonly clock?: Clock;
    readonly http?: typeof client.http;
  } = {},
): ReturnType<typeof testPool> {
  return testPool({
    bindings: [
      slot({
        provider: format.preset,
        baseUrl: `${origin}${format.basePath}`,
        keyRef: 'k',
        ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
      }),
    ],
    http: options.http ?? client.http,
    vault: memoryVault([{ id: 'k', secret: key, origin }]),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
}

const said = plainAnswer.text.join('');
const good = (format: ProviderFormat): Reply => streamReply(format, plainAnswer);
/** The first pieces of an answer, then something else. */
const cutAfter = (format: ProviderFormat, frames: number, ...steps: readonly Step[]): Reply => ({
  headers: streamHeaders,
  steps: [
    ...format
      .frames(plainAnswer)
      .slice(0, frames)
      .map((write) => ({ write })),
    ...steps,
  ],
});

describe.each(formats)('a bad day of %s', (_name, format) => {
  const begun = format === openAiChatFormat ? 3 : 2;

  it('retries a connection that is reset before any header, and gives up in time', async () => {
    const server = await serve(() => ({ dropBeforeHeaders: true, steps: [] }));
    const { events } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual([
      'started',
      'failed:connection_lost:retrying',
      'started',
      'failed:connection_lost:retrying',
      'started',
      'failed:connection_lost',
    ]);
    expect(server.requests.length).toBe(3);
  });

  it('answers at the second attempt when the first was reset', async () => {
    const server = await serve((_request, nth) =>
      nth === 1 ? { dropBeforeHeaders: true, steps: [] } : good(format),
    );
    const { events, text } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual([
      'started',
      'failed:connection_lost:retrying',
      'started',
      'text',
      'finished:stop',
    ]);
    expect(text).toBe(said);
  });

  it('keeps the partial text when the socket is reset mid-stream, and does not retry', async () => {
    const server = await serve(() => cutAfter(format, begun, { waitMs: 30 }, { destroy: true }));
    const { events, text } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:connection_lost']);
    expect(text).toBe('Four is the');
    expect(server.requests.length).toBe(1);
  });

  it('keeps the partial text when the stream ends early but politely', async () => {
    const server = await serve(() => cutAfter(format, begun, { end: true }));
    const { events, text } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:stream_cut']);
    expect(text).toBe('Four is the');
  });

  it('ends a wait for the first token at its deadline and closes the socket', async () => {
    const server = await serve(() => ({ headers: streamHeaders, steps: [{ stall: true }] }));
    const { agents } = poolFor(server.origin, format, { timeouts: { firstTokenMs: 100 } });
    const { events } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:first_token_timeout']);
    await server.whenQuiet();
  });

  it('ends a wait for headers at the same deadline', async () => {
    const server = await serve(() => ({ silent: true, steps: [] }));
    const { agents } = poolFor(server.origin, format, { timeouts: { firstTokenMs: 100 } });
    expect(shapeOf((await collect(agents)).events)).toEqual([
      'started',
      'failed:first_token_timeout',
    ]);
    await server.whenQuiet();
  });

  it('ends a stall mid-stream at the idle deadline with the text so far', async () => {
    const server = await serve(() => cutAfter(format, begun, { stall: true }));
    const { agents } = poolFor(server.origin, format, { timeouts: { idleMs: 100 } });
    const { events, text } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:idle_timeout']);
    expect(text).toBe('Four is the');
    await server.whenQuiet();
  });

  it('ends an answer that keeps dripping at the total deadline', async () => {
    const drip = Array.from({ length: 200 }, (): Step[] => [
      { write: format.frames(plainAnswer)[begun - 1] ?? '' },
      { waitMs: 20 },
    ]).flat();
    const server = await serve(() => ({ headers: streamHeaders, steps: drip }));
    const { agents } = poolFor(server.origin, format, { timeouts: { totalMs: 200 } });
    const { events } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:total_timeout']);
    await server.whenQuiet();
  });

  it('lets a slow drip live whose pauses stay under the idle deadline', async () => {
    const steps = format
      .frames(plainAnswer)
      .flatMap((write): Step[] => [{ waitMs: 40 }, { write }])
      .concat({ end: true });
    const server = await serve(() => ({ headers: streamHeaders, steps }));
    const { agents } = poolFor(server.origin, format, { timeouts: { idleMs: 5_000 } });
    expect((await collect(agents)).text).toBe(said);
  });

  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['a fraction of seconds', { 'retry-after': '0.25' }, 250],
    ['milliseconds', { 'retry-after-ms': '1234' }, 1_234],
    ['milliseconds before seconds', { 'retry-after-ms': '900', 'retry-after': '1' }, 900],
  ])('waits as long as a 429 asks in %s', async (_form, headers, waitMs) => {
    const limit = { ...faultReply(format, 'rate_limit'), headers };
    const server = await serve((_request, nth) => (nth === 1 ? limit : good(format)));
    const clock = hastyClock();
    const { events, text } = await collect(poolFor(server.origin, format, { clock }).agents);
    expect(shapeOf(events)).toEqual([
      'started',
      'failed:rate_limited:retrying',
      'started',
      'text',
      'finished:stop',
    ]);
    expect(text).toBe(said);
    expect(clock.waited).toEqual([waitMs]);
  });

  it('waits until the date that a 429 names', async () => {
    const now = Date.UTC(2026, 10, 30, 12, 0, 0);
    const limit = {
      ...faultReply(format, 'rate_limit'),
      headers: { 'retry-after': 'Mon, 30 Nov 2026 12:00:02 GMT' },
    };
    const server = await serve((_request, nth) => (nth === 1 ? limit : good(format)));
    const clock = { ...hastyClock(), now: () => now };
    const { text } = await collect(poolFor(server.origin, format, { clock }).agents);
    expect(text).toBe(said);
    expect(clock.waited).toEqual([2_000]);
  });

  it('sets the slot aside instead of waiting for an hour', async () => {
    const limit = { ...faultReply(format, 'rate_limit'), headers: { 'retry-after': '3600' } };
    const server = await serve(() => limit);
    const { agents } = poolFor(server.origin, format);
    const before = Date.now();
    const { events } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:rate_limited']);
    const [state] = agents.slots();
    expect(state?.mask).toBe('unhealthy');
    expect(state?.health).toMatchObject({ state: 'limited' });
    if (state?.health.state === 'limited') {
      expect(state.health.until).toBeGreaterThanOrEqual(before + 3_600_000);
    }
  });

  it('answers after one error of the server', async () => {
    const server = await serve((_request, nth) =>
      nth === 1 ? faultReply(format, 'server_error') : good(format),
    );
    const { events } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual([
      'started',
      'failed:server_error:retrying',
      'started',
      'text',
      'finished:stop',
    ]);
  });

  it('passes over garbage in a good stream and counts it', async () => {
    const frames = format.frames(plainAnswer);
    const garbage = ['data: {"choices":[{"del\n\n', '%%% not a field %%%\n\n', 'data: 17\n\n'];
    const steps = [...frames.slice(0, begun), ...garbage, ...frames.slice(begun)];
    const server = await serve(() => ({
      headers: streamHeaders,
      steps: [...steps.map((write) => ({ write })), { end: true }],
    }));
    const { text, last } = await collect(poolFor(server.origin, format).agents);
    expect(text).toBe(said);
    expect(last).toMatchObject({ type: 'finished', skippedChunks: garbage.length });
  });

  it('says that nothing of a stream of garbage was an answer', async () => {
    const server = await serve(() => ({
      headers: streamHeaders,
      steps: [{ write: 'data: "?"\n\ndata: {]\n\n' }, { end: true }],
    }));
    const { events } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:malformed_answer']);
  });

  it('reports an error that the stream itself reports, with the text before it', async () => {
    const { body } = format.fault('server_error');
    const server = await serve(() =>
      cutAfter(format, begun, { write: `data: ${JSON.stringify(body)}\n\n` }, { stall: true }),
    );
    const { events, text } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:server_error']);
    expect(text).toBe('Four is the');
    await server.whenQuiet();
  });

  it('names a web page where an answer should be', async () => {
    const server = await serve(() => ({
      headers: { 'content-type': 'text/html' },
      steps: [{ write: '<!doctype html><title>Sign in</title>' }, { end: true }],
    }));
    const { events } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:wrong_content_type']);
  });

  it('reads a stream that is declared as plain text', async () => {
    const server = await serve(() => ({
      ...good(format),
      headers: { 'content-type': 'text/plain' },
    }));
    expect((await collect(poolFor(server.origin, format).agents)).text).toBe(said);
  });

  it('reads a gzipped stream', async () => {
    const server = await serve(() => ({
      headers: { ...streamHeaders, 'content-encoding': 'gzip' },
      steps: [{ write: gzipSync(format.frames(plainAnswer).join('')) }, { end: true }],
    }));
    expect((await collect(poolFor(server.origin, format).agents)).text).toBe(said);
  });

  it('names a server that does not speak HTTP', async () => {
    const server = await serve(() => ({
      bare: true,
      steps: [{ raw: 'SSH-2.0-OpenSSH_9.6\r\n' }, { stall: true }],
    }));
    const { events, last } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:malformed_answer']);
    expect(last).toMatchObject({ message: expect.stringContaining('does not speak HTTP') });
  });

  it('names headers that are too long', async () => {
    const server = await serve(() => ({
      headers: { ...streamHeaders, 'x-long': 'x'.repeat(40_000) },
      steps: [{ end: true }],
    }));
    const { events, last } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:malformed_answer']);
    expect(last).toMatchObject({ message: expect.stringContaining('headers') });
  });

  it('names an answer that is not compressed as it says', async () => {
    const server = await serve(() => ({
      headers: { ...streamHeaders, 'content-encoding': 'gzip' },
      steps: [{ write: format.frames(plainAnswer).join('') }, { end: true }],
    }));
    const { events, last } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:malformed_answer']);
    expect(last).toMatchObject({ message: expect.stringContaining('compressed') });
  });

  it('keeps the partial text when what follows is no HTTP', async () => {
    const server = await serve(() =>
      cutAfter(format, begun, { waitMs: 30 }, { raw: 'no chunk\r\n' }, { stall: true }),
    );
    const { agents, spending } = poolFor(server.origin, format);
    const { events, text } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'failed:stream_cut']);
    expect(text).toBe('Four is the');
    expect(spending.totals()).toMatchObject([{ calls: 1 }]);
  });

  it('does not follow a redirect, so that the key stays', async () => {
    const elsewhere = await serve(() => good(format));
    const server = await serve(() => ({
      status: 307,
      headers: { location: `${elsewhere.origin}/v1/chat/completions` },
      steps: [{ end: true }],
    }));
    const { events } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:redirected']);
    expect(elsewhere.requests.length).toBe(0);
  });

  it('finishes when the answer does, although the server never closes', async () => {
    const server = await serve(() => ({
      headers: streamHeaders,
      steps: [...format.frames(plainAnswer).map((write) => ({ write })), { stall: true }],
    }));
    const { events, text } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'finished:stop']);
    expect(text).toBe(said);
    await server.whenQuiet();
  });

  it('takes an end that comes twice for one', async () => {
    const frames = format.frames(plainAnswer);
    const server = await serve(() => ({
      headers: streamHeaders,
      steps: [...[...frames, ...frames.slice(-1)].map((write) => ({ write })), { end: true }],
    }));
    const { events, text } = await collect(poolFor(server.origin, format).agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'finished:stop']);
    expect(text).toBe(said);
  });

  it('loses nothing of a 10 MB answer', async () => {
    const piece = 'x'.repeat(64 * 1024);
    const pieces = Array.from({ length: 160 }, () => piece);
    const server = await serve(() => streamReply(format, { ...plainAnswer, text: pieces }));
    const { text, last } = await collect(poolFor(server.origin, format).agents);
    expect(last.type).toBe('finished');
    expect(text.length).toBe(160 * 64 * 1024);
  });

  it.each([
    ['before its headers', { silent: true, steps: [] }],
    ['before its first token', { headers: streamHeaders, steps: [{ stall: true }] }],
    ['mid-stream', cutAfter(format, begun, { stall: true })],
  ] as const)('closes the socket of a call stopped %s', async (_when, reply) => {
    const server = await serve(() => reply);
    const stop = new AbortController();
    const { agents } = poolFor(server.origin, format);
    const call = collect(agents, callOf(), stop.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    expect((await call).last).toMatchObject({ type: 'failed', code: 'stopped', retrying: false });
    // How soon is measured by `npm run bench -- stop`; here it only must not hang.
    await expect.poll(() => server.openSockets, { timeout: 10_000 }).toBe(0);
    expect(server.requests.length).toBe(1);
  });
});

describe('addresses that lead nowhere', () => {
  it('names a closed port', async () => {
    const server = await startScriptedServer(() => ({ steps: [] }));
    await server.close();
    const { events } = await collect(poolFor(server.origin).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:connection_refused']);
  });

  it('names a port that belongs to another service', async () => {
    const { events, last } = await collect(poolFor('http://127.0.0.1:9').agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:connection_refused']);
    expect(last).toMatchObject({ message: expect.stringContaining('another port') });
  });

  it('names an unknown host', async () => {
    const { events } = await collect(poolFor('http://no-such-host.invalid').agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:dns_failed']);
  });
});

describe('TLS', () => {
  it('refuses a certificate that nobody vouches for, before the key is sent', async () => {
    const server = await serve(() => good(openAiChatFormat), makeCertificate());
    const { events } = await collect(poolFor(server.origin).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:tls_failed']);
    expect(server.requests.length).toBe(0);
  });

  it('streams from a server whose certificate is trusted, and refuses it once it has expired', async () => {
    for (const [validDays, shape] of [
      [2, ['started', 'text', 'finished:stop']],
      [-2, ['started', 'failed:tls_failed']],
    ] as const) {
      const certificate = makeCertificate(validDays);
      const server = await serve(() => good(openAiChatFormat), certificate);
      const trusting = createHttpClient({ environment: {}, certificates: [certificate.cert] });
      const { events } = await collect(
        poolFor(server.origin, openAiChatFormat, { http: trusting.http }).agents,
      );
      expect(shapeOf(events)).toEqual(shape);
      await trusting.close();
    }
  });
});

describe('an answer that says an error with status 200', () => {
  it('is read as the error that it is', async () => {
    const { body } = openAiChatFormat.fault('bad_key');
    const server = await serve(() => jsonReply(200, body));
    const { events } = await collect(poolFor(server.origin).agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:key_refused']);
  });
});
