import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { secretForms } from '../../contracts/secret-forms.ts';
import { createHttpClient } from '../../main/hosts/http-client.ts';
import { plainAnswer, type Answer } from '../servers/answers.ts';
import { openAiChatFormat } from '../servers/openai-chat.ts';
import {
  jsonReply,
  startProviderServer,
  type ProviderServerOptions,
} from '../servers/provider-server.ts';
import type { RecordedRequest } from '../servers/scripted-server.ts';
import { eventsOf, openApp, type AppClient } from './open-app.ts';

const key = 'sk-planted/"+key=0123456789';

interface Chat {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** An app whose slots all call a local server with the key, which is stored in the plain scheme. */
async function openBoundApp(answer: ProviderServerOptions['answer'], serverKey = key) {
  const server = await startProviderServer(openAiChatFormat, {
    ...(answer && { answer }),
    key: serverKey,
  });
  const http = createHttpClient({ environment: {} });
  const { app, client, dataDirectory } = await openApp({ httpClient: http.http });
  onTestFinished(async () => {
    await app.close();
    await http.close();
    await server.close();
  });
  await client.settings.update({ agents: 'slots' });
  const baseUrl = `${server.origin}/v1`;
  const stored = await client.slots.putKey({ secret: key, baseUrl, scheme: 'plain-0600' });
  await client.slots.setAll({
    provider: 'openai-compatible',
    model: 'test-model',
    baseUrl,
    keyRef: stored.id,
  });
  return { server, app, client, dataDirectory };
}

async function runOf(client: AppClient, id: string, text: string) {
  const { runId } = await client.chat.start({ conversationId: id, text });
  return eventsOf(client, runId);
}

/** Worker and Verifier by what they are asked: the second call of a run is the Verifier's. */
function answerOf({ json }: RecordedRequest): Answer {
  const isJudging = (json as Chat).messages.at(-1)?.content.includes('Turn 1') === true;
  return isJudging ? { ...plainAnswer, text: ['ACCEPT', ': it is four.'] } : plainAnswer;
}

/** Every file of a data directory but the one that is there to keep keys. */
function filesOf(dataDirectory: string): string[] {
  return readdirSync(dataDirectory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dataDirectory, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('keys.json'));
}

describe('a run over a real server', () => {
  it('asks with alternating roles and the person’s message last, and keeps the answer', async () => {
    const { server, client } = await openBoundApp(answerOf);
    const { id } = await client.chat.create({});
    for (const text of ['What is two plus two?', 'And doubled?']) {
      const events = await runOf(client, id, text);
      expect(events.at(-1)).toMatchObject({
        status: 'accepted',
        answer: 'Four is the answer.',
        verdict: { status: 'accepted', diagnosis: 'it is four.' },
      });
    }
    expect(server.requests).toHaveLength(4);
    for (const { json } of server.requests) {
      const roles = (json as Chat).messages.map(({ role }) => role);
      const [first, ...rest] = roles;
      expect(first).toBe('system');
      expect(rest).toEqual(rest.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')));
      expect(rest.at(-1)).toBe('user');
    }
    const kept = await client.chat.get({ id });
    expect(kept.runs.map(({ answer }) => answer)).toEqual(Array(2).fill('Four is the answer.'));
    expect(kept.runs[0]?.turns[0]).toMatchObject({
      provider: 'openai-compatible',
      resolvedModel: 'test-model-2026',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
  });
});

describe('a key that is planted in the slots', () => {
  const leaks: readonly (readonly [string, ProviderServerOptions['answer'], string])[] = [
    ['is accepted', answerOf, key],
    ['is refused', undefined, 'another key'],
    [
      'comes back in an error of the server',
      ({ headers }) =>
        jsonReply(500, { error: { message: `bad header ${String(headers['authorization'])}` } }),
      key,
    ],
    [
      'comes back in the answer of the model',
      ({ headers }) => ({
        ...plainAnswer,
        text: ['Your key is ', String(headers['authorization'])],
      }),
      key,
    ],
  ];

  it.each(leaks)('is in no event, trace or other file when it %s', async (_, answer, serverKey) => {
    const { app, client, dataDirectory } = await openBoundApp(answer, serverKey);
    const { id } = await client.chat.create({});
    const events = await runOf(client, id, 'What is two plus two?');
    expect(events.at(-1)?.type).toMatch(/^run_(completed|failed)$/);
    const said = JSON.stringify([
      ...events,
      await client.slots.list({}),
      await client.slots.keys({}),
      await client.slots.export({}),
      await client.settings.notices({}),
      await client.chat.get({ id }),
    ]);
    await app.close();
    const files = filesOf(dataDirectory);
    expect(files.map((path) => path.split('/').at(-1))).toEqual(
      expect.arrayContaining(['trinity.sqlite', 'settings.json']),
    );
    for (const form of secretForms(key)) {
      expect(said).not.toContain(form);
      for (const path of files) {
        expect(readFileSync(path).includes(form), `${form} in ${path}`).toBe(false);
      }
    }
    expect(readFileSync(join(dataDirectory, 'keys.json'), 'utf8')).toContain('sk-planted');
  });
});
