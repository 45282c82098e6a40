import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ORPCError } from '@orpc/client';
import { describe, expect, it } from 'vitest';
import { failureSchema } from '../../contracts/failure.ts';
import type { Router } from '../../contracts/router.ts';
import { withLogits } from '../coordinator/scripted-run.ts';
import { eventsOf, openApp, WorkerThenVerifier } from './open-app.ts';

describe('a message to the app', () => {
  it('becomes a run that goes from Worker to Verifier and is accepted', async () => {
    const { client } = await openApp();
    const { id } = await client.chat.create({});
    const { runId } = await client.chat.start({ conversationId: id, text: 'Plan a picnic.' });
    const events = await eventsOf(client, runId);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(
      events.filter(({ type }) => type === 'run_completed' || type === 'run_failed'),
    ).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'run_completed', status: 'accepted' });
    const conversation = await client.chat.get({ id });
    expect(conversation.title).toBe('Plan a picnic.');
    expect(conversation.runs[0]?.turns.map(({ role, slot }) => [role, slot])).toEqual([
      ['Worker', 4],
      ['Verifier', 2],
    ]);
    expect(conversation.runs[0]?.answer).toContain('Plan a picnic.');
    // JSON has no minus zero, and a page gets its events as JSON.
    expect(await eventsOf(client, runId)).toEqual(JSON.parse(JSON.stringify(events)));
  });

  it('is answered knowing what was said before', async () => {
    const { client } = await openApp();
    const { id } = await client.chat.create({});
    await client.chat.setSystemPrompt({ id, text: 'Be brief.' });
    for (const text of ['First.', 'Second.']) {
      const { runId } = await client.chat.start({ conversationId: id, text });
      await eventsOf(client, runId);
    }
    const decision = await client.chat.whatIf({ conversationId: id, text: 'Third.' });
    expect(decision.role.raw).toBe('Worker');
    expect((await client.chat.list({})).conversations).toMatchObject([{ id, title: 'First.' }]);
  });
});

describe('what a person leaves blank', () => {
  it('is neither a message nor a title', async () => {
    const { client } = await openApp();
    const { id } = await client.chat.create({});
    for (const text of ['', '   ', '\n\t']) {
      await expect(client.chat.start({ conversationId: id, text })).rejects.toThrow(ORPCError);
      await expect(client.chat.rename({ id, title: text })).rejects.toThrow(ORPCError);
    }
    expect((await client.chat.get({ id })).runs).toEqual([]);
    await client.chat.rename({ id, title: '  Sums ' });
    expect((await client.chat.get({ id })).title).toBe('Sums');
  });
});

describe('a run that samples', () => {
  it('chooses the same with the same seed, and otherwise with another one', async () => {
    const even = () => withLogits([0, 0, 0, 0, 0, 0, 0], [1, 1, 1]);
    const { client } = await openApp({ router: { route: () => Promise.resolve(even()) } });
    const choices = async (seed: number) => {
      await client.settings.update({ selection: { mode: 'sample', temperature: 0.7, seed } });
      const { id } = await client.chat.create({});
      const { runId } = await client.chat.start({
        conversationId: id,
        text: 'Plan a picnic.',
        pins: { role: 'Worker' },
      });
      return (await eventsOf(client, runId)).flatMap((event) =>
        event.type === 'routed' ? [[event.decision.slot.raw, event.decision.role.raw]] : [],
      );
    };
    const first = await choices(7);
    expect(first).toHaveLength(5);
    expect(new Set(first.map(([slot]) => slot)).size).toBeGreaterThan(1);
    expect(await choices(7)).toEqual(first);
    expect(await choices(8)).not.toEqual(first);
  });
});

describe('the trace of a run', () => {
  it('lies in the data directory and holds no word of the message or the answers', async () => {
    const message = 'Plan a zebra picnic near Quxville.';
    const entries = [
      {
        when: { role: 'Worker' },
        reasoning: 'Thinking greenly.',
        reply: 'Bring blorbs and cheese.',
      },
      { when: { role: 'Verifier' }, reply: 'ACCEPT: flawless picnicking.' },
    ];
    const script = JSON.stringify({ version: 1, entries });
    const { client, dataDirectory } = await openApp({ rehearsal: { paceMs: 0, script } });
    const { id } = await client.chat.create({});
    await client.chat.setSystemPrompt({ id, text: 'Answer in hexameters.' });
    const { runId } = await client.chat.start({ conversationId: id, text: message });
    const events = await eventsOf(client, runId);
    expect(events.at(-1)).toMatchObject({ answer: 'Bring blorbs and cheese.' });
    const path = join(dataDirectory, 'traces', `${runId}.jsonl`);
    const trace = readFileSync(path, 'utf8').toLowerCase();
    const spoken = ['zebra', 'picnic', 'quxville', 'greenly', 'blorbs', 'cheese', 'flawless'];
    for (const word of [...spoken, 'hexameters']) expect(trace).not.toContain(word);
    expect(trace.trimEnd().split('\n')).toHaveLength(events.length);
    expect(await client.traces.list({})).toMatchObject([{ runId, path, content: 'hash' }]);
  });

  it('is not written where a host says nowhere', async () => {
    const { client, dataDirectory } = await openApp({ traceFile: () => null });
    const { id } = await client.chat.create({});
    const { runId } = await client.chat.start({ conversationId: id, text: 'Hello.' });
    await eventsOf(client, runId);
    expect(existsSync(join(dataDirectory, 'traces'))).toBe(false);
  });
});

describe('what goes wrong', () => {
  it('reaches a page with its code and its sentence', async () => {
    const { client } = await openApp();
    const error: unknown = await client.chat.get({ id: 'none' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ORPCError);
    expect(failureSchema.parse((error as ORPCError<string, unknown>).data)).toMatchObject({
      code: 'not_found',
      retryable: false,
    });
  });

  it('with an input is refused before any service sees it', async () => {
    const { client } = await openApp();
    const refused = client.chat.start({ conversationId: 'c', text: '' });
    await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  it('with the router ends the run as failed, says why, and the conversation goes on', async () => {
    let isDead = true;
    const healthy = new WorkerThenVerifier();
    const router: Router = {
      route: (request) =>
        isDead ? Promise.reject(new Error('the process died')) : healthy.route(request),
    };
    const { client } = await openApp({ router });
    const { id } = await client.chat.create({});
    const first = await client.chat.start({ conversationId: id, text: 'Hello.' });
    expect((await eventsOf(client, first.runId)).at(-1)).toMatchObject({
      type: 'run_failed',
      message: 'the process died',
    });
    isDead = false;
    const second = await client.chat.start({ conversationId: id, text: 'Hello.' });
    expect((await eventsOf(client, second.runId)).at(-1)).toMatchObject({ status: 'accepted' });
  });

  it('with a router that is gone says so at the start, and the demo router decides', async () => {
    const { client } = await openApp({ overrides: { router: 'gone-1' } });
    expect(await client.models.state({})).toMatchObject({ isDemo: true });
    expect(await client.settings.notices({})).toMatchObject([{ code: 'router_not_found' }]);
  });
});

describe('the app', () => {
  it('remembers settings, router and conversations from start to start', async () => {
    const first = await openApp();
    const { id } = await first.client.chat.create({});
    await first.client.settings.update({ theme: 'dark' });
    await first.client.models.select({ router: 'mine', profile: 'cpu-8bit' });
    await first.app.close();
    await first.app.close();
    const { client } = await openApp({ dataDirectory: first.dataDirectory });
    expect(await client.settings.get({})).toMatchObject({
      theme: 'dark',
      router: 'mine',
      profile: 'cpu-8bit',
    });
    expect((await client.chat.list({})).conversations).toMatchObject([{ id }]);
  });

  it('uses settings of one start without storing them, and keeps nothing when it is told so', async () => {
    const first = await openApp({ overrides: { agents: 'slots' }, isEphemeral: true });
    await first.client.chat.create({});
    expect(await first.client.settings.get({})).toMatchObject({ agents: 'slots' });
    await first.app.close();
    const { client } = await openApp({ dataDirectory: first.dataDirectory });
    expect(await client.settings.get({})).toMatchObject({ agents: 'rehearsal' });
    expect((await client.chat.list({})).conversations).toEqual([]);
  });

  it('refuses a change of settings that names what there is not, at any depth', async () => {
    const { client } = await openApp();
    for (const group of ['coordinator', 'budgets', 'traces', 'roleInstructions', 'selection']) {
      const bogus = { [group]: { bogus: 1 } };
      await expect(client.settings.update(bogus), group).rejects.toThrow();
    }
    await expect(
      client.settings.update({ selection: { mode: 'sample', temperature: 0, seed: null } }),
    ).rejects.toThrow();
  });

  it('says what it is', async () => {
    const { client, dataDirectory } = await openApp();
    expect(await client.settings.about({})).toMatchObject({
      name: 'Trinity Desktop',
      host: 'browser',
      dataDirectory,
      node: process.versions.node,
    });
    expect(await client.settings.notices({})).toEqual([]);
  });
});
