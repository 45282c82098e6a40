import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SlotBinding } from '../../../contracts/slots.ts';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { openProviders, type Providers } from '../../../main/providers/providers.ts';
import { SecretForms } from '../../../main/providers/secret-forms.ts';
import { anthropicMessagesFormat } from '../../servers/anthropic-messages.ts';
import { plainAnswer } from '../../servers/answers.ts';
import { googleGeminiFormat } from '../../servers/google-gemini.ts';
import { openAiChatFormat } from '../../servers/openai-chat.ts';
import { openAiResponsesFormat } from '../../servers/openai-responses.ts';
import { jsonReply, streamReply, type ProviderFormat } from '../../servers/provider-server.ts';
import {
  startScriptedServer,
  type Replier,
  type Reply,
  type ScriptedServer,
} from '../../servers/scripted-server.ts';
import { callOf, collect, evenRandom, hastyClock, memoryVault, slot } from './harness.ts';

const key = 'sk-planted/"+key=0123456789';
const headerSecret = 'hdr-planted%&value=9876543210';
const formats = [
  ['Chat Completions', openAiChatFormat],
  ['Responses', openAiResponsesFormat],
  ['Anthropic Messages', anthropicMessagesFormat],
  ['Gemini', googleGeminiFormat],
] as const;

const encodings = [key, headerSecret].flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(`Bearer ${secret}`).toString('base64'),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
]);
const spill = `you sent: ${encodings.join(' and ')}`;

const client = createHttpClient({ environment: {} });
const servers: ScriptedServer[] = [];
const opened: Providers[] = [];
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-providers-'));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  // What is still on its way to a file would find its folder gone.
  await Promise.all(opened.splice(0).map((providers) => providers.close()));
  await rm(folder, { recursive: true });
});
afterAll(() => client.close());

async function serve(reply: Replier): Promise<ScriptedServer> {
  const server = await startScriptedServer(reply);
  servers.push(server);
  return server;
}

async function open(
  bindings: readonly SlotBinding[],
  keys: Parameters<typeof memoryVault>[0],
  count = 1,
): Promise<{ providers: Providers; stored: () => readonly SlotBinding[] }> {
  let stored = bindings;
  const providers = await openProviders({
    store: {
      read: () => stored,
      update: (change) => {
        stored = change(stored);
        return Promise.resolve();
      },
    },
    vault: memoryVault(keys),
    http: client.http,
    clock: hastyClock(),
    random: evenRandom,
    agentLabels: () => Array.from({ length: count }, (_, index) => `label-${index}`),
    folder,
    pricesFile: new URL('../../../assets/prices/prices.json', import.meta.url).pathname,
    rehearsalPaceMs: 0,
    rehearsalScript: null,
    onProblem: (error) => {
      throw error;
    },
  });
  opened.push(providers);
  return { providers, stored: () => stored };
}

async function filesUnder(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

describe.each(formats)('secrets planted in a slot of %s', (_name, format: ProviderFormat) => {
  const spills: readonly (readonly [string, Reply])[] = [
    ['an error body', jsonReply(400, { error: { message: spill, code: key, type: spill } })],
    ['an error page', { status: 502, steps: [{ write: `<html>${spill}</html>` }, { end: true }] }],
    ['plain error text', { status: 403, steps: [{ write: spill }, { end: true }] }],
    [
      'the answer, its reasoning, its model and its id',
      streamReply(format, {
        ...plainAnswer,
        id: key,
        model: key,
        reasoning: [spill],
        text: spill.match(/.{1,7}/gs) ?? [],
      }),
    ],
    [
      'a request id',
      {
        ...streamReply(format, plainAnswer),
        headers: { 'x-request-id': Buffer.from(key).toString('hex') },
      },
    ],
    [
      'an error inside a stream',
      {
        steps: [
          { write: `data: ${JSON.stringify({ error: { message: spill } })}\n\n` },
          { end: true },
        ],
      },
    ],
  ];

  it.each(spills)(
    'come back in nothing when the server repeats them in %s',
    async (_how, reply) => {
      const server = await serve((request) =>
        request.method === 'GET' ? jsonReply(200, { data: [{ id: key }, { id: spill }] }) : reply,
      );
      const { providers, stored } = await open(
        [
          slot({
            provider: format.preset,
            baseUrl: `${server.origin}${format.basePath}`,
            keyRef: 'k',
            headers: { 'X-Team': 'h' },
          }),
        ],
        [
          { id: 'k', secret: key, origin: server.origin },
          { id: 'h', secret: headerSecret, origin: server.origin },
        ],
      );
      const signal = new AbortController().signal;
      const { events } = await collect(providers.agents('slots'), callOf());
      const test = await providers.slots.test(0, true, signal);
      const models = await providers.slots
        .models(0, signal)
        .catch((error: unknown) => String(error));
      await providers.close();

      expect(server.requests[0]?.headers['x-team']).toBe(headerSecret);
      const said = JSON.stringify({
        events,
        test,
        models,
        list: await providers.slots.list(),
        export: providers.slots.export(),
        stored: stored(),
        contacts: providers.ledger.contacts(),
      });
      const everywhere = `${said}\n${await filesUnder(folder)}`;
      expect(new SecretForms([key, headerSecret]).foundIn(everywhere)).toBe(false);
      for (const encoded of encodings) expect(everywhere).not.toContain(encoded);
    },
  );
});

describe('a key and its origin', () => {
  const answering: Replier = (request) =>
    request.method === 'GET'
      ? jsonReply(200, openAiChatFormat.modelList)
      : streamReply(openAiChatFormat, plainAnswer);

  it('part when the base URL moves to another server', async () => {
    const old = await serve(answering);
    const other = await serve(answering);
    const binding = slot({ baseUrl: `${old.origin}/v1`, keyRef: 'k', headers: { 'X-Team': 'h' } });
    const { providers, stored } = await open(
      [binding],
      [
        { id: 'k', secret: key, origin: old.origin },
        { id: 'h', secret: headerSecret, origin: old.origin },
      ],
    );
    const view = await providers.slots.set({ ...binding, baseUrl: `${other.origin}/v1` });
    expect(view).toMatchObject({ key: null, binding: { keyRef: null, headers: {} } });
    expect(stored()[0]?.keyRef).toBeNull();
    await collect(providers.agents('slots'));
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(other.requests[0]?.headers).not.toHaveProperty('x-team');
  });

  it('stay together when only the path changes', async () => {
    const server = await serve(answering);
    const binding = slot({ baseUrl: `${server.origin}/v1`, keyRef: 'k' });
    const { providers } = await open([binding], [{ id: 'k', secret: key, origin: server.origin }]);
    const view = await providers.slots.set({ ...binding, baseUrl: `${server.origin}/v2` });
    expect(view.key).toMatchObject({ id: 'k', last4: '6789' });
  });

  it('are not rejoined by an import that names another server', async () => {
    const old = await serve(answering);
    const other = await serve(answering);
    const binding = slot({ baseUrl: `${old.origin}/v1`, keyRef: 'k' });
    const { providers } = await open([binding], [{ id: 'k', secret: key, origin: old.origin }]);
    const layout = providers.slots.export();
    expect(JSON.stringify(layout)).not.toContain('"k"');
    const moved = layout.slots.map((entry) => ({ ...entry, baseUrl: `${other.origin}/v1` }));
    const [view] = await providers.slots.import({ ...layout, slots: moved });
    expect(view?.key).toBeNull();
    await collect(providers.agents('slots'));
    expect(other.requests[0]?.headers).not.toHaveProperty('authorization');
    // The layout as it was finds its key again only because the slot's server is the same.
    await providers.slots.set({ ...binding });
    const [same] = await providers.slots.import(layout);
    expect(same?.key).toMatchObject({ id: 'k' });
  });

  it("keep a key of the environment to its preset's own server", async () => {
    const server = await serve(answering);
    const bindings = [
      slot({ index: 0, provider: 'mistral' }),
      slot({ index: 1, provider: 'mistral', baseUrl: `${server.origin}/v1` }),
    ];
    const { providers } = await open(
      bindings,
      [{ id: 'env:M', secret: key, origin: 'https://api.mistral.ai', scheme: 'env' }],
      2,
    );
    const [own, moved] = await providers.slots.list();
    expect(own?.key).toMatchObject({ scheme: 'env' });
    expect(moved?.key).toBeNull();
    const { last } = await collect(providers.agents('slots'), callOf({ slot: 1 }));
    expect(last).toMatchObject({ type: 'failed', code: 'key_missing' });
    expect(server.requests).toHaveLength(0);
  });

  it('is forgotten by every slot that named it', async () => {
    const bindings = [0, 1].map((index) =>
      slot({ index, provider: 'openai', keyRef: 'k', headers: { 'X-Team': 'k' } }),
    );
    const { providers, stored } = await open(
      bindings,
      [{ id: 'k', secret: key, origin: 'https://api.openai.com' }],
      2,
    );
    await providers.slots.removeKey('k');
    expect(stored().map(({ keyRef, headers }) => ({ keyRef, headers }))).toEqual([
      { keyRef: null, headers: {} },
      { keyRef: null, headers: {} },
    ]);
  });
});
