import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SlotBinding } from '../../../contracts/slots.ts';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { ProviderError } from '../../../main/providers/failure.ts';
import { openProviders, type Providers } from '../../../main/providers/providers.ts';
import { anthropicMessagesFormat } from '../../servers/anthropic-messages.ts';
import { plainAnswer } from '../../servers/answers.ts';
import { googleGeminiFormat } from '../../servers/google-gemini.ts';
import { openAiChatFormat } from '../../servers/openai-chat.ts';
import { openAiResponsesFormat } from '../../servers/openai-responses.ts';
import {
  faultReply,
  jsonReply,
  startProviderServer,
  type ProviderFormat,
} from '../../servers/provider-server.ts';
import type { Reply, ScriptedServer } from '../../servers/scripted-server.ts';
import { callOf, collect, evenRandom, hastyClock, memoryVault, slot } from './harness.ts';

const key = 'planted-key-0123456789abcdef';
const client = createHttpClient({ environment: {} });
const signal = new AbortController().signal;
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

async function open(
  bindings: readonly SlotBinding[],
  options: { origin?: string; count?: number; secret?: string } = {},
): Promise<Providers & { stored(): readonly SlotBinding[] }> {
  let stored = bindings;
  const count = options.count ?? Math.max(1, bindings.length);
  const { origin } = options;
  const providers = await openProviders({
    store: {
      read: () => stored,
      update: (change) => {
        stored = change(stored);
        return Promise.resolve();
      },
    },
    vault: memoryVault(
      origin === undefined ? [] : [{ id: 'k', secret: options.secret ?? key, origin }],
    ),
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
  return { ...providers, stored: () => stored };
}

async function testOf(
  format: ProviderFormat,
  options: {
    model?: string;
    secret?: string;
    models?: Reply;
    answer?: Reply;
    baseUrl?: (origin: string) => string;
    call?: boolean;
  } = {},
): Promise<{ result: Awaited<ReturnType<Providers['slots']['test']>>; paths: string[] }> {
  const server = await startProviderServer(format, {
    key,
    ...(options.answer === undefined ? {} : { answer: () => options.answer as Reply }),
    ...(options.models === undefined ? {} : { list: options.models }),
  });
  servers.push(server);
  const baseUrl = options.baseUrl?.(server.origin) ?? `${server.origin}${format.basePath}`;
  const providers = await open(
    [slot({ provider: format.preset, baseUrl, keyRef: 'k', model: options.model ?? 'test-model' })],
    { origin: server.origin, ...(options.secret === undefined ? {} : { secret: options.secret }) },
  );
  const result = await providers.slots.test(0, options.call ?? false, signal);
  return { result, paths: server.requests.map(({ method, path }) => `${method} ${path}`) };
}

const formats = [
  ['Chat Completions', openAiChatFormat],
  ['Responses', openAiResponsesFormat],
  ['Anthropic Messages', anthropicMessagesFormat],
  ['Gemini', googleGeminiFormat],
] as const;

describe.each(formats)('the test of a slot of %s', (_name, format) => {
  it('proves the key and lists the models', async () => {
    const { result } = await testOf(format);
    expect(result).toMatchObject({ ok: true, code: null, models: ['test-model'] });
  });

  it('names a bad key in plain words', async () => {
    const { result } = await testOf(format, { secret: 'another-key-0123456789' });
    expect(result).toMatchObject({ ok: false, code: 'key_refused' });
    expect(result.message).toMatch(/does not accept this key/);
  });

  it('asks the model itself when the list does not name it, and explains that it is missing', async () => {
    const { result, paths } = await testOf(format, {
      model: 'no-model',
      answer: faultReply(format, 'no_model'),
    });
    expect(result).toMatchObject({ ok: false, code: 'model_not_found', models: ['test-model'] });
    expect(paths.some((path) => path.startsWith('POST'))).toBe(true);
  });

  it('names missing credit', async () => {
    const { result } = await testOf(format, {
      answer: faultReply(format, 'no_credit'),
      call: true,
    });
    expect(result).toMatchObject({ ok: false, code: 'no_credit' });
    expect(result.message).toMatch(/no credit/);
  });

  it('makes the smallest call when it is asked to', async () => {
    const { result, paths } = await testOf(format, { call: true });
    expect(result).toMatchObject({ ok: true, message: 'The model answered.' });
    expect(paths.filter((path) => path.startsWith('POST'))).toHaveLength(1);
  });
});

describe('what a slot test explains', () => {
  it('a region that the provider does not serve', async () => {
    const { result } = await testOf(openAiChatFormat, {
      answer: jsonReply(403, {
        error: {
          code: 'unsupported_country_region_territory',
          message: 'Country, region, or territory not supported',
        },
      }),
    });
    expect(result).toMatchObject({ ok: false, code: 'region_blocked' });
  });

  it('a wrong base URL', async () => {
    const page: Reply = {
      status: 404,
      headers: { 'content-type': 'text/html' },
      steps: [{ write: '<html>Not Found</html>' }, { end: true }],
    };
    const { result } = await testOf(openAiChatFormat, { models: page, answer: page });
    expect(result).toMatchObject({ ok: false, code: 'address_not_found' });
    expect(result.message).toMatch(/base URL/);
  });

  it("the server's own words, without addresses and keys", async () => {
    const { result } = await testOf(openAiChatFormat, {
      answer: jsonReply(400, {
        error: {
          message: `max_tokens is too large; see https://example.com/help?key=${key} or sk-abcdef123`,
          type: 'invalid_request_error',
        },
      }),
    });
    expect(result.code).toBe('request_refused');
    expect(result.message).toContain('max_tokens is too large; see [address] or [removed]');
  });

  it('a slot without a binding, and a rehearsal', async () => {
    const providers = await open([slot({ index: 1, provider: 'rehearsal' })], { count: 2 });
    expect(await providers.slots.test(0, false, signal)).toMatchObject({ code: 'slot_missing' });
    expect(await providers.slots.test(1, false, signal)).toMatchObject({ ok: true });
  });

  it('a server that has no list but answers', async () => {
    const { result } = await testOf(openAiChatFormat, {
      models: jsonReply(404, { error: 'nothing here' }),
    });
    expect(result).toMatchObject({ ok: true, models: [] });
  });
});

describe('binding slots', () => {
  it('binds one, binds all, clears one', async () => {
    const providers = await open([], { count: 3 });
    await providers.slots.set(slot({ index: 2, provider: 'ollama', model: 'm' }));
    const all = await providers.slots.setAll(slot({ provider: 'rehearsal', model: 'scripted' }));
    expect(all.map(({ binding }) => binding?.provider)).toEqual(Array(3).fill('rehearsal'));
    expect(all.map(({ binding }) => binding?.name)).toEqual([
      'Slot 0 · scripted',
      'Slot 1 · scripted',
      'Slot 2 · scripted',
    ]);
    await providers.slots.clear(1);
    expect((await providers.slots.list()).map(({ binding }) => binding?.index)).toEqual([
      0,
      undefined,
      2,
    ]);
    expect(all[0]).toMatchObject({ checkpointLabel: 'label-0', health: { state: 'untried' } });
  });

  it.each([
    ['out of range', { index: 3 }, 'slot_out_of_range'],
    ['an unknown provider', { provider: 'nobody' }, 'unknown_provider'],
    ['a compatible server without address', {}, 'base_url_missing'],
    [
      'a header of the connection',
      { provider: 'openai', headers: { Host: 'k' } },
      'header_reserved',
    ],
  ] as const)('refuses %s by name and changes nothing', async (_what, input, code) => {
    const providers = await open([], { count: 3 });
    await expect(providers.slots.set(slot(input))).rejects.toMatchObject({ code });
    expect(providers.stored()).toEqual([]);
  });

  it('imports what it exported of a router with unbound slots, beside slots of another router', async () => {
    const rehearsal = (index: number) => slot({ index, provider: 'rehearsal', model: 'scripted' });
    const providers = await open([rehearsal(0), rehearsal(5)], { count: 3 });
    const exported = providers.slots.export();
    expect(exported).toMatchObject({ slots: [{ index: 0 }], unbound: [1, 2] });
    await providers.slots.set(rehearsal(1));
    const views = await providers.slots.import(exported);
    expect(views.map(({ binding }) => binding?.index ?? null)).toEqual([0, null, null]);
    expect(providers.stored().map(({ index }) => index)).toEqual([0, 5]);
  });

  it.each([
    ['a slot twice', [0, 0], 'duplicate_slot'],
    ['a gap', [0, 2], 'slot_missing'],
    ['a slot too many', [0, 1, 2, 3], 'slot_out_of_range'],
  ] as const)('refuses to import %s, and changes nothing', async (_what, indices, code) => {
    const providers = await open([slot({ provider: 'rehearsal' })], { count: 3 });
    const before = providers.stored();
    const layout = {
      format: 'trinity-slots' as const,
      unbound: [],
      version: 1 as const,
      slots: indices.map((index) => {
        const { keyRef: _key, headers: _headers, ...entry } = slot({ index, provider: 'ollama' });
        return { ...entry, headerNames: [] };
      }),
    };
    await expect(providers.slots.import(layout)).rejects.toBeInstanceOf(ProviderError);
    await expect(providers.slots.import(layout)).rejects.toMatchObject({ code });
    expect(providers.stored()).toBe(before);
  });

  it('shows a layout that no longer resolves instead of failing', async () => {
    const providers = await open([slot({ provider: 'gone' })]);
    expect(await providers.slots.list()).toMatchObject([{ key: null, price: null }]);
  });

  it('no longer says that a slot works once its test has failed', async () => {
    const server = await startProviderServer(openAiChatFormat);
    servers.push(server);
    const providers = await open([slot({ baseUrl: `${server.origin}/v1` })]);
    await collect(providers.agents('slots'), callOf());
    expect(await providers.slots.list()).toMatchObject([{ health: { state: 'healthy' } }]);
    await server.close();
    expect(await providers.slots.test(0, false, signal)).toMatchObject({ ok: false });
    expect(await providers.slots.list()).toMatchObject([{ health: { state: 'untried' } }]);
  });

  it('brings a slot back that was set aside, once it is bound anew', async () => {
    const providers = await open([slot({ provider: 'anthropic' })]);
    await collect(providers.agents('slots'));
    expect(providers.agents('slots').slots()[0]?.mask).toBe('unhealthy');
    await providers.slots.set(slot({ provider: 'rehearsal' }));
    expect(providers.agents('slots').slots()[0]?.mask).toBeNull();
  });
});

describe('what is kept', () => {
  it('the ledger counts each host by purpose, across programs, readable by the owner alone', async () => {
    const server = await startProviderServer(openAiChatFormat);
    servers.push(server);
    const binding = slot({ baseUrl: `${server.origin}/v1` });
    const providers = await open([binding]);
    await collect(providers.agents('slots'), callOf());
    await collect(providers.agents('slots'), callOf());
    await providers.slots.models(0, signal);
    await providers.close();
    const host = new URL(server.origin).host;
    const sent = server.requests
      .filter(({ method }) => method === 'POST')
      .reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    const [test, calls] = providers.ledger
      .contacts()
      .toSorted((a, b) => b.purpose.localeCompare(a.purpose));
    expect(test).toMatchObject({ host, purpose: 'slot test', requests: 1 });
    expect(calls).toMatchObject({ host, purpose: 'model call', requests: 2 });
    expect(calls?.bytesSent).toBeGreaterThan(sent);
    const answer = Buffer.byteLength(openAiChatFormat.frames(plainAnswer).join(''));
    expect(calls?.bytesReceived).toBeGreaterThan(2 * answer);
    expect(calls?.bytesReceived).toBeLessThan(2 * answer + 2_000);

    const again = await open([binding]);
    expect(again.ledger.contacts()).toEqual(providers.ledger.contacts());
    const month = new Date().toISOString().slice(0, 7);
    const file = join(folder, 'contacts', `${month}.jsonl`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, 'utf8')).not.toMatch(/chat\/completions|two and two/);
  });

  it('spending goes on after a restart, past a line that a crash cut', async () => {
    const price = { inputUsdPerMillion: 1_000, outputUsdPerMillion: 0 };
    const server = await startProviderServer(openAiChatFormat);
    servers.push(server);
    const binding = slot({ baseUrl: `${server.origin}/v1`, price });
    const first = await open([binding]);
    await collect(first.agents('slots'));
    await first.close();
    const month = new Date().toISOString().slice(0, 7);
    const file = join(folder, 'spending', `${month}.jsonl`);
    const whole = await readFile(file, 'utf8');
    await writeFile(file, `${whole}{"at":17,"slot":0,"us`);
    const second = await open([binding]);
    expect(second.spending.thisMonthUsd(0)).toBeCloseTo(0.011, 9);
    await collect(second.agents('slots'));
    await second.close();
    const third = await open([binding]);
    expect(third.spending.totals()).toMatchObject([{ slot: 0, month, calls: 2 }]);
  });
});
