import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { plainAnswer } from '../../servers/answers.ts';
import { startOpenAiChatServer } from '../../servers/openai-chat.ts';
import type { ScriptedServer } from '../../servers/scripted-server.ts';
import { collect, memoryVault, shapeOf, slot, testPool } from './harness.ts';

const key = 'sk-planted-0123456789abcdef';
const client = createHttpClient({ environment: {} });
let server: ScriptedServer;
beforeAll(async () => {
  server = await startOpenAiChatServer({ key });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

describe('a slot bound to a chat completions server', () => {
  it('streams the answer with usage, model and request id', async () => {
    const { agents } = testPool({
      bindings: [slot({ baseUrl: `${server.origin}/v1`, keyRef: 'k' })],
      http: client.http,
      vault: memoryVault([{ id: 'k', secret: key, origin: server.origin }]),
    });
    const { events, text, last } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'text', 'finished:stop']);
    expect(text).toBe('Four is the answer.');
    expect(last).toMatchObject({
      usage: { inputTokens: 11, outputTokens: 7, reasoningTokens: 0, estimated: false },
      resolvedModel: 'test-model-2026',
      requestId: 'req-answer-1',
      skippedChunks: 0,
    });
    expect(server.requests.at(-1)?.json).toMatchObject({
      model: 'test-model',
      stream: true,
      messages: [
        { role: 'system', content: 'You are the Worker.' },
        { role: 'user', content: 'What is two and two?' },
      ],
    });
  });

  it('fails with a named error before any socket opens when its key belongs to another origin', async () => {
    const before = server.requests.length;
    const { agents } = testPool({
      bindings: [slot({ baseUrl: `${server.origin}/v1`, keyRef: 'k' })],
      http: client.http,
      vault: memoryVault([{ id: 'k', secret: key, origin: 'https://elsewhere.example' }]),
    });
    const { events } = await collect(agents);
    expect(shapeOf(events)).toEqual(['started', 'failed:key_other_origin']);
    expect(server.requests.length).toBe(before);
  });
});

describe('the test server', () => {
  it('serves the official SDK of its format, streamed and whole', async () => {
    const sdk = new OpenAI({ apiKey: key, baseURL: `${server.origin}/v1`, maxRetries: 0 });
    const request = { model: 'test-model', messages: [{ role: 'user' as const, content: 'Hi' }] };
    const whole = await sdk.chat.completions.create(request);
    expect(whole.choices[0]?.message.content).toBe(plainAnswer.text.join(''));
    let streamed = '';
    for await (const chunk of await sdk.chat.completions.create({ ...request, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? '';
    }
    expect(streamed).toBe(plainAnswer.text.join(''));
  });
});
