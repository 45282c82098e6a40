import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropicMessagesFormat } from '../../servers/anthropic-messages.ts';
import { plainAnswer, type Answer } from '../../servers/answers.ts';
import { googleGeminiFormat } from '../../servers/google-gemini.ts';
import { openAiChatFormat } from '../../servers/openai-chat.ts';
import { openAiResponsesFormat } from '../../servers/openai-responses.ts';
import { startProviderServer, type ProviderFormat } from '../../servers/provider-server.ts';
import type { ScriptedServer } from '../../servers/scripted-server.ts';

/**
 * The servers that our formats are tested against also serve the vendors' own clients: what they read
 * there is what they would read at home.
 */
const key = 'planted-key-0123456789abcdef';
const said = plainAnswer.text.join('');
const question = 'What is two and two?';

let server: ScriptedServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serve(format: ProviderFormat, answer: Answer = plainAnswer): Promise<string> {
  server = await startProviderServer(format, { answer: () => answer, key });
  return server.origin;
}

describe("OpenAI's client", () => {
  const messages = [{ role: 'user' as const, content: question }];

  it('reads streamed and whole chat completions, usage included', async () => {
    const origin = await serve(openAiChatFormat, { ...plainAnswer, finish: 'length' });
    const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
    const whole = await client.chat.completions.create({ model: 'm', messages });
    expect(whole.choices[0]?.message.content).toBe(said);
    const stream = client.chat.completions.stream({
      model: 'm',
      messages,
      stream_options: { include_usage: true },
    });
    const last = await stream.finalChatCompletion();
    expect(last.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: said } });
    expect(last.usage?.completion_tokens).toBe(7);
    let text = '';
    for await (const chunk of await client.chat.completions.create({
      model: 'm',
      messages,
      stream: true,
    })) {
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text).toBe(said);
  });

  it('reads a refusal where the format puts it', async () => {
    const origin = await serve(openAiChatFormat, { ...plainAnswer, finish: 'refusal' });
    const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
    const last = await client.chat.completions.stream({ model: 'm', messages }).finalMessage();
    expect(last.refusal).toBe(said);
  });

  it('reads streamed and whole responses', async () => {
    const origin = await serve(openAiResponsesFormat);
    const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
    const whole = await client.responses.create({ model: 'm', input: question });
    expect(whole.output_text).toBe(said);
    const last = await client.responses.stream({ model: 'm', input: question }).finalResponse();
    expect(last.output_text).toBe(said);
    expect(last.usage?.output_tokens).toBe(7);
  });

  it('lists models and names a bad key', async () => {
    const origin = await serve(openAiChatFormat);
    const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['test-model']);
    const wrong = new OpenAI({ apiKey: 'wrong', baseURL: `${origin}/v1`, maxRetries: 0 });
    await expect(wrong.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe("Anthropic's client", () => {
  // Explicit nulls: its constructor would otherwise look into the environment of whoever runs this.
  const anthropic = (baseURL: string, apiKey: string) =>
    new Anthropic({ apiKey, authToken: null, baseURL, maxRetries: 0 });
  const request = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: question }] };

  it('reads streamed and whole messages with thinking', async () => {
    const origin = await serve(anthropicMessagesFormat, { ...plainAnswer, reasoning: ['Hm.'] });
    const client = anthropic(origin, key);
    const texts = (content: Anthropic.ContentBlock[]) =>
      content.map((block) =>
        block.type === 'text' ? block.text : block.type === 'thinking' ? block.thinking : '',
      );
    const whole = await client.messages.create(
      request as Anthropic.MessageCreateParamsNonStreaming,
    );
    expect(texts(whole.content)).toEqual(['Hm.', said]);
    const last = await client.messages
      .stream(request as Anthropic.MessageStreamParams)
      .finalMessage();
    expect(texts(last.content)).toEqual(['Hm.', said]);
    expect(last.stop_reason).toBe('end_turn');
    expect(last.usage.output_tokens).toBe(7);
  });

  it('lists models and names a bad key', async () => {
    const origin = await serve(anthropicMessagesFormat);
    const client = anthropic(origin, key);
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['test-model']);
    const wrong = anthropic(origin, 'wrong');
    await expect(wrong.models.list()).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });
});

describe("Google's client", () => {
  it('reads streamed and whole content with thoughts', async () => {
    const origin = await serve(googleGeminiFormat, { ...plainAnswer, reasoning: ['Hm.'] });
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin } });
    const request = { model: 'test-model', contents: question };
    const whole = await client.models.generateContent(request);
    expect(whole.text).toBe(said);
    let text = '';
    let tokens: number | undefined;
    for await (const chunk of await client.models.generateContentStream(request)) {
      text += chunk.text ?? '';
      tokens = chunk.usageMetadata?.candidatesTokenCount ?? tokens;
    }
    expect(text).toBe(said);
    expect(tokens).toBe(7);
  });

  it('names a bad key', async () => {
    const origin = await serve(googleGeminiFormat);
    const client = new GoogleGenAI({ apiKey: 'wrong', httpOptions: { baseUrl: origin } });
    await expect(
      client.models.generateContent({ model: 'test-model', contents: question }),
    ).rejects.toThrow(/API key not valid/);
  });
});
