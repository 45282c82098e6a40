import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../main/hosts/http-client.ts';
import { SecretForms } from '../../main/providers/secret-forms.ts';
import { anthropicMessagesFormat } from '../servers/anthropic-messages.ts';
import { plainAnswer } from '../servers/answers.ts';
import { googleGeminiFormat } from '../servers/google-gemini.ts';
import { openAiChatFormat } from '../servers/openai-chat.ts';
import { openAiResponsesFormat } from '../servers/openai-responses.ts';
import {
  jsonReply,
  startProviderServer,
  streamReply,
  type ProviderFormat,
} from '../servers/provider-server.ts';
import type { RecordedRequest, ScriptedServer } from '../servers/scripted-server.ts';
import { eventsOf, openApp } from './open-app.ts';

const key = 'sk-planted-0123456789abcdef';
const headerSecret = 'hdr-planted-9876543210';
const formats = [
  ['Chat Completions', openAiChatFormat],
  ['Responses', openAiResponsesFormat],
  ['Anthropic Messages', anthropicMessagesFormat],
  ['Gemini', googleGeminiFormat],
] as const;

const client = createHttpClient({ environment: {} });
let server: ScriptedServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});
afterAll(() => client.close());

/** Roles of a request, in our words, without the system text. */
function rolesOf({ json }: RecordedRequest): string[] {
  const body = json as Record<string, { role: string }[]>;
  const list = body['messages'] ?? body['input'] ?? body['contents'] ?? [];
  return list
    .map(({ role }) => (role === 'model' ? 'assistant' : role))
    .filter((role) => role !== 'system');
}

/** Says the key in an error first, and in the answers too. */
function talkative(format: ProviderFormat) {
  const spill = `${key} ${Buffer.from(key).toString('base64')} ${headerSecret}`;
  return (request: RecordedRequest, nth: number) => {
    if (nth === 1) return jsonReply(500, { error: { message: spill } });
    const isVerifier = request.body.includes('ACCEPT');
    return streamReply(format, {
      ...plainAnswer,
      reasoning: [spill],
      text: isVerifier ? ['ACCEPT: ', 'it is four. ', spill] : ['Four ', spill],
    });
  };
}

describe.each(formats)('a run whose slots speak %s', (_name, format) => {
  it('alternates roles on every turn, keeps its answer, and keeps its keys out of everything', async () => {
    server = await startProviderServer(format, { answer: talkative(format), key });
    const { client: app, dataDirectory } = await openApp({
      httpClient: client.http,
      overrides: { agents: 'slots', traces: { enabled: true, content: 'full' } },
    });
    const baseUrl = `${server.origin}${format.basePath}`;
    const stored = await app.slots.putKey({ secret: key, baseUrl, scheme: 'plain-0600' });
    const header = await app.slots.putKey({ secret: headerSecret, baseUrl, scheme: 'session' });
    await app.slots.setAll({
      provider: format.preset,
      model: 'test-model',
      baseUrl,
      keyRef: stored.id,
      headers: { 'X-Team': header.id },
    });
    const { id } = await app.chat.create({});
    const all = [];
    for (const text of ['What is two and two?', 'And three and three?']) {
      const { runId } = await app.chat.start({ conversationId: id, text });
      all.push(...(await eventsOf(app, runId)));
    }
    const conversation = await app.chat.get({ id });
    expect(conversation.runs.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(conversation.runs[0]?.answer).toMatch(/^Four/);
    expect(all.some(({ type }) => type === 'dispatch_failed')).toBe(true);

    expect(server.requests.length).toBeGreaterThanOrEqual(5);
    for (const request of server.requests) {
      const roles = rolesOf(request);
      expect(roles.at(-1)).toBe('user');
      expect(roles).toEqual(roles.map((_, n) => (n % 2 === 0 ? 'user' : 'assistant')));
    }

    const secrets = new SecretForms([key, headerSecret]);
    const said = JSON.stringify([
      all,
      conversation,
      await app.slots.list({}),
      await app.slots.export({}),
    ]);
    expect(secrets.foundIn(said)).toBe(false);
    const leaking = readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => secrets.foundIn(readFileSync(path, 'latin1')))
      .map((path) => path.slice(dataDirectory.length + 1));
    expect(leaking).toEqual(['keys.json']);
  });
});
