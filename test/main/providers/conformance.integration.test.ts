import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../contracts/agents.ts';
import { finishReasons } from '../../../contracts/events.ts';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { anthropicMessagesFormat } from '../../servers/anthropic-messages.ts';
import { plainAnswer, type Answer } from '../../servers/answers.ts';
import { googleGeminiFormat } from '../../servers/google-gemini.ts';
import { openAiChatFormat } from '../../servers/openai-chat.ts';
import { openAiResponsesFormat } from '../../servers/openai-responses.ts';
import {
  faultReply,
  jsonReply,
  startProviderServer,
  streamHeaders,
  type ProviderFormat,
} from '../../servers/provider-server.ts';
import type { RecordedRequest, Reply, ScriptedServer } from '../../servers/scripted-server.ts';
import { callOf, collect, memoryVault, shapeOf, slot, testPool } from './harness.ts';

const formats = [
  ['Chat Completions', openAiChatFormat],
  ['Responses', openAiResponsesFormat],
  ['Anthropic Messages', anthropicMessagesFormat],
  ['Gemini', googleGeminiFormat],
] as const;

const key = 'planted-key-0123456789abcdef';
const client = createHttpClient({ environment: {} });
const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => client.close());

/** Calls a slot of this format whose server gives this answer. */
async function ask(
  format: ProviderFormat,
  answer: Answer | Reply,
  parameters = {},
): Promise<Awaited<ReturnType<typeof collect>> & { requests: readonly RecordedRequest[] }> {
  const server = await startProviderServer(format, { answer: () => answer, key });
  servers.push(server);
  const { agents } = testPool({
    bindings: [
      slot({
        provider: format.preset,
        baseUrl: `${server.origin}${format.basePath}`,
        keyRef: 'k',
        parameters,
      }),
    ],
    http: client.http,
    vault: memoryVault([{ id: 'k', secret: key, origin: server.origin }]),
  });
  return { ...(await collect(agents)), requests: server.requests };
}

/** An event without what differs between any two calls. */
function timeless(events: readonly AgentEvent[]): object[] {
  return events.map(({ ...event }) => {
    if ('latencyMs' in event) event.latencyMs = 0;
    if ('firstTokenMs' in event) event.firstTokenMs = event.firstTokenMs === null ? null : 0;
    return event;
  });
}

const usage = { inputTokens: 11, outputTokens: 7, reasoningTokens: 0, estimated: false };
const finished = {
  type: 'finished',
  finishReason: 'stop',
  costUsd: null,
  resolvedModel: 'test-model-2026',
  requestId: 'answer-1',
  firstTokenMs: 0,
  latencyMs: 0,
  skippedChunks: 0,
};

describe.each(formats)('%s', (_name, format) => {
  it('streams a plain answer as the same events', async () => {
    const { events } = await ask(format, plainAnswer);
    const [, ...rest] = timeless(events);
    expect(rest).toEqual([
      { type: 'delta', channel: 'text', text: 'Four' },
      { type: 'delta', channel: 'text', text: ' is the' },
      { type: 'delta', channel: 'text', text: ' answer.' },
      // Gemini reports no thoughts where there were none; the others report zero.
      {
        ...finished,
        usage: format === googleGeminiFormat ? { ...usage, reasoningTokens: null } : usage,
      },
    ]);
  });

  it('keeps reasoning apart from the text and counts it', async () => {
    const { events, text, reasoning, last } = await ask(format, {
      ...plainAnswer,
      reasoning: ['Two', ' and two…'],
      usage: { input: 11, output: 20, reasoning: 13 },
    });
    expect(shapeOf(events)).toEqual(['started', 'reasoning', 'text', 'finished:stop']);
    expect({ text, reasoning }).toEqual({ text: 'Four is the answer.', reasoning: 'Two and two…' });
    expect(last).toMatchObject({ usage: { ...usage, outputTokens: 20, reasoningTokens: 13 } });
  });

  it('shows a refusal and says that it is one', async () => {
    const { text, last } = await ask(format, {
      ...plainAnswer,
      text: ['I cannot', ' help with that.'],
      finish: 'refusal',
    });
    expect(text).toBe('I cannot help with that.');
    expect(last).toMatchObject({ type: 'finished', finishReason: 'refusal' });
  });

  it('finishes an empty answer without a delta', async () => {
    const { events, last } = await ask(format, { ...plainAnswer, text: [] });
    expect(shapeOf(events)).toEqual(['started', 'finished:stop']);
    expect(last).toMatchObject({ firstTokenMs: null });
  });

  it('loses nothing of a long answer', async () => {
    const pieces = Array.from({ length: 3_000 }, (_, index) => `piece ${index}, `);
    const { text } = await ask(format, { ...plainAnswer, text: pieces });
    expect(text).toBe(pieces.join(''));
  });

  it('puts characters together that arrive byte by byte', async () => {
    const said = 'naïve 数学 👩‍👩‍👧‍👦 ∑ עברית';
    const bytes = Buffer.from(format.frames({ ...plainAnswer, text: [said] }).join(''));
    const { text, last } = await ask(format, {
      headers: streamHeaders,
      steps: [...[...bytes].map((byte) => ({ write: Buffer.of(byte) })), { end: true }],
    });
    expect(text).toBe(said);
    expect(last).toMatchObject({ type: 'finished', skippedChunks: 0 });
  });

  it('puts a character together whose halves are escaped in two chunks', async () => {
    const { text } = await ask(format, { ...plainAnswer, text: ['a\ud83d', '\ude00b'] });
    expect(text).toBe('a😀b');
  });

  it.each(finishReasons)('names the reason %s', async (finish) => {
    const { last } = await ask(format, { ...plainAnswer, finish });
    expect(last).toMatchObject({ type: 'finished', finishReason: finish });
  });

  it('reads a whole answer from a server that does not stream', async () => {
    const { events, text, reasoning, last } = await ask(
      format,
      jsonReply(200, format.whole({ ...plainAnswer, reasoning: ['Hm.'] })),
    );
    expect(shapeOf(events)).toEqual(['started', 'reasoning', 'text', 'finished:stop']);
    expect({ text, reasoning }).toEqual({ text: 'Four is the answer.', reasoning: 'Hm.' });
    expect(last).toMatchObject({ usage: { inputTokens: 11, outputTokens: 7 } });
  });

  it.each([
    ['bad_key', 'key_refused'],
    ['no_model', 'model_not_found'],
    ['no_credit', 'no_credit'],
  ] as const)('says %s as %s, once', async (kind, code) => {
    const { events, last } = await ask(format, faultReply(format, kind));
    expect(shapeOf(events)).toEqual(['started', `failed:${code}`]);
    expect(last).toMatchObject({ httpStatus: format.fault(kind).status });
  });

  it.each([
    ['rate_limit', 'rate_limited'],
    ['server_error', 'server_error'],
  ] as const)('tries again after %s', async (kind, code) => {
    const { events } = await ask(format, faultReply(format, kind));
    expect(shapeOf(events)).toEqual([
      'started',
      `failed:${code}:retrying`,
      'started',
      `failed:${code}:retrying`,
      'started',
      `failed:${code}`,
    ]);
  });

  it.each([
    ['a page', '<!DOCTYPE html><html><body>Not here</body></html>'],
    ['nothing', ''],
    ['half a JSON value', '{"error":{"mess'],
  ])('makes do with an error body that is %s', async (_what, body) => {
    const { events } = await ask(format, { status: 404, steps: [{ write: body }, { end: true }] });
    expect(shapeOf(events)).toEqual(['started', 'failed:address_not_found']);
  });

  it('sends the system text apart, alternating roles, and the user last', async () => {
    const { requests } = await ask(format, plainAnswer);
    const body = requests[0]?.json as Record<string, unknown>;
    const sent = JSON.stringify(body);
    expect(sent).toContain('You are the Worker.');
    const list = (body['messages'] ?? body['input'] ?? body['contents']) as { role: string }[];
    expect(list.at(-1)?.role).toBe('user');
  });

  it('sends no member that the slot does not set', async () => {
    const bare = await ask(format, plainAnswer);
    expect(bare.requests[0]?.body).not.toMatch(/temperature|top_?p|stop|effort|thinking/i);
    const full = await ask(format, plainAnswer, {
      temperature: 0.5,
      topP: 0.9,
      maxTokens: 321,
      reasoningEffort: 'low',
    });
    expect(full.requests[0]?.body).toMatch(/321/);
    expect(full.requests[0]?.body).toMatch(/"temperature":0\.5/);
    expect(full.requests[0]?.body).toMatch(/low/i);
  });
});

describe('inline think tags', () => {
  it('of a compatible server become reasoning, split anywhere', async () => {
    const said = '<think>Two and two.</think>\n\nFour.';
    for (let cut = 1; cut < said.length; cut += 5) {
      const { text, reasoning } = await ask(openAiChatFormat, {
        ...plainAnswer,
        text: [said.slice(0, cut), said.slice(cut)],
      });
      expect({ text, reasoning }).toEqual({ text: 'Four.', reasoning: 'Two and two.' });
    }
  });
});

describe('a view with a history', () => {
  it.each(formats)('keeps roles alternating in %s', async (_name, format) => {
    const server = await startProviderServer(format);
    servers.push(server);
    const { agents } = testPool({
      bindings: [
        slot({
          provider: format.preset,
          baseUrl: `${server.origin}${format.basePath}`,
          keyRef: 'k',
        }),
      ],
      http: client.http,
      vault: memoryVault([{ id: 'k', secret: key, origin: server.origin }]),
    });
    await collect(
      agents,
      callOf({
        view: {
          system: 'S',
          messages: [
            { role: 'user', content: 'one' },
            { role: 'assistant', content: 'two' },
            { role: 'user', content: 'three' },
          ],
        },
      }),
    );
    const body = server.requests[0]?.json as Record<string, unknown>;
    const list = (body['messages'] ?? body['input'] ?? body['contents']) as { role: string }[];
    const roles = list.map(({ role }) => (role === 'model' ? 'assistant' : role));
    expect(roles.filter((role) => role !== 'system')).toEqual(['user', 'assistant', 'user']);
  });
});
