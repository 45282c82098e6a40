import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Changes } from '../../../main/conversations/changes.ts';
import {
  ConversationStore,
  type ConversationPage,
} from '../../../main/conversations/conversation-store.ts';
import { openDatabase } from '../../../main/conversations/database.ts';
import { schemaVersion } from '../../../main/conversations/migrations.ts';
import { lockOwner, soleOwner } from '../../../main/conversations/owner-lock.ts';
import { RunService } from '../../../main/conversations/run-service.ts';
import { RunStore } from '../../../main/conversations/run-store.ts';
import { createSystemRandom } from '../../../main/hosts/system-random.ts';
import { FakeClock } from '../../coordinator/scripted-run.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { openService, settled } from './open-service.ts';
import { SteppedLoop } from './stepped-loop.ts';

describe('opening a database', () => {
  it('refuses one of a newer program and one that is none, and changes neither', () => {
    const path = join(temporaryFolder(), 'trinity.sqlite');
    const newer = new DatabaseSync(path);
    newer.exec(`CREATE TABLE theirs (x); PRAGMA user_version = ${schemaVersion + 1}`);
    newer.close();
    expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code: 'schema_newer' }));
    const kept = new DatabaseSync(path);
    expect(kept.prepare('SELECT count(*) AS n FROM theirs').get()).toMatchObject({ n: 0 });
    kept.close();

    const other = join(temporaryFolder(), 'trinity.sqlite');
    writeFileSync(other, 'This is a letter, not a database. '.repeat(100));
    expect(() => openDatabase(other)).toThrow(expect.objectContaining({ code: 'storage_corrupt' }));
  });

  it.each([
    ['no version', 'CREATE TABLE theirs (x)'],
    ['a negative version', 'PRAGMA user_version = -5'],
  ])('leaves another program’s database alone: one of %s', (_, sql) => {
    const path = join(temporaryFolder(), 'trinity.sqlite');
    const other = new DatabaseSync(path);
    other.exec(sql);
    other.close();
    const before = readFileSync(path);
    expect(() => openDatabase(path)).toThrow(expect.objectContaining({ code: 'storage_corrupt' }));
    expect(readFileSync(path)).toEqual(before);
  });

  it('says what stands in its place', () => {
    const path = join(temporaryFolder(), 'trinity.sqlite');
    mkdirSync(path);
    const refused = { code: 'storage_unwritable', message: expect.stringContaining('a folder') };
    expect(() => openDatabase(path)).toThrow(expect.objectContaining(refused));

    const owners = join(temporaryFolder(), 'owners');
    writeFileSync(owners, '');
    expect(() => lockOwner(owners, 'me')).toThrow(
      expect.objectContaining({
        code: 'storage_unwritable',
        message: expect.stringContaining(owners),
      }),
    );
  });

  it('changes no schema while another one is live', () => {
    const path = join(temporaryFolder(), 'trinity.sqlite');
    expect(() => openDatabase(path, () => true)).toThrow(
      expect.objectContaining({ code: 'schema_busy', retryable: true }),
    );
    openDatabase(path).close();
    openDatabase(path, () => true).close();
  });
});

describe('the list of conversations', () => {
  it('comes in pages, newest first, each conversation once', async () => {
    const { service, clock } = openService();
    // All within one millisecond, and some after the clock went back.
    const made = Array.from({ length: 25 }, (_, index) => {
      if (index === 12) clock.advance(-5000);
      return service.create().id;
    });
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page: ConversationPage = await service.list({ query: '', before, limit: 10 });
      seen.push(...page.conversations.map(({ id }) => id));
      expect(page.more).toBe(page.next !== null);
      before = page.next;
    } while (before !== null);
    expect(seen).toEqual(made.toReversed());
  });

  it('reads the runs of a conversation as they were added, also after the clock went back', async () => {
    const { service, conversations, runs, clock } = openLimited();
    const { id } = conversations.create('c', 1);
    const tasks = Array.from({ length: 5 }, (_, index) => `task ${index}`);
    for (const task of tasks) {
      service.start(id, task, {});
      service.stop(service.read(id).liveRunId ?? '');
      await settled();
      clock.advance(-60_000);
    }
    expect(service.read(id).runs.map(({ task }) => task)).toEqual(tasks);
    expect(runs.ofConversation(id).map(({ status }) => status)).toEqual(tasks.map(() => 'stopped'));
  });

  it('forgets everything of a removed conversation', async () => {
    const dataDirectory = temporaryFolder();
    const { service, loop } = openService({ dataDirectory });
    const { id } = service.create();
    service.conversations.saveDraft(id, 'unsent');
    const { runId } = service.runs.start(id, 'task', {});
    loop.last.begin();
    loop.last.say('secret plan');
    service.runs.stop(runId);
    await settled();
    service.conversations.saveDraft(id, 'unsent again');
    await service.runs.remove(id);
    const database = new DatabaseSync(join(dataDirectory, 'trinity.sqlite'), { readOnly: true });
    onTestFinished(() => database.close());
    for (const table of ['conversations', 'drafts', 'runs', 'turns', 'routes', 'events']) {
      const row = database.prepare(`SELECT count(*) AS n FROM ${table}`).get();
      expect([table, row?.['n']]).toEqual([table, 0]);
    }
  });
});

/** A run service over a database whose disk a test can fill. */
function openLimited() {
  const database = openDatabase(join(temporaryFolder(), 'trinity.sqlite'));
  onTestFinished(() => database.close());
  const runs = new RunStore(database, soleOwner('owner'));
  const conversations = new ConversationStore(database, runs);
  const loop = new SteppedLoop();
  const clock = new FakeClock();
  const service = new RunService({
    ...{ conversations, runs, loop, clock },
    changes: new Changes(),
    openTrace: async () => ({ write: () => undefined, close: () => Promise.resolve() }),
    random: createSystemRandom(),
  });
  const pages = (): number => Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  return {
    ...{ service, conversations, loop, clock, runs },
    fillDisk: () => database.exec(`PRAGMA max_page_count = ${pages()}`),
    freeDisk: () => database.exec('PRAGMA max_page_count = 1000000'),
  };
}

const long = 'x'.repeat(20_000);

describe('a database that cannot be written', () => {
  it('starts no run and says so', () => {
    const { service, conversations, loop, fillDisk } = openLimited();
    const { id } = conversations.create('c', 1);
    fillDisk();
    expect(() => service.start(id, long, {})).toThrow(
      expect.objectContaining({ code: 'storage_unwritable', retryable: true }),
    );
    expect(loop.runs).toEqual([]);
  });

  it('blocks the next dispatch: the run fails with what it has, and is stored once it can be', async () => {
    const { service, conversations, loop, runs, fillDisk, freeDisk } = openLimited();
    const { id } = conversations.create('c', 1);
    const { runId } = service.start(id, 'task', {});
    loop.last.begin();
    await settled();
    fillDisk();
    loop.last.say(long, long);
    loop.last.emit([
      {
        ...{ type: 'turn_completed', turn: 1, slot: 4, role: 'Worker', text: long + long },
        ...{ textHash: `v1:${'a'.repeat(64)}`, complete: true, verdict: null, suggestion: null },
      },
    ]);
    await settled();
    // What a provider has sent goes on being shown.
    expect(service.read(id).runs[0]).toMatchObject({
      status: 'running',
      turns: [{ complete: true }],
    });
    expect(loop.last.isReturned).toBe(false);

    loop.last.emit([
      { type: 'turn_started', turn: 2, transcriptHash: `v1:${'a'.repeat(64)}`, messageCount: 2 },
    ]);
    await settled();
    expect(loop.last.isReturned).toBe(true);
    const failed = { status: 'failed', code: 'storage_unwritable', answer: long + long };
    expect(service.read(id).runs[0]).toMatchObject(failed);
    expect(runs.read(runId)).toMatchObject({ status: 'running' });

    freeDisk();
    service.start(id, 'again', {});
    expect(runs.read(runId)).toMatchObject(failed);
    await service.close();
  });

  it('loses nothing of a turn when it can be written again before the turn ends', async () => {
    const { service, conversations, loop, clock, runs, fillDisk, freeDisk } = openLimited();
    const { id } = conversations.create('c', 1);
    const { runId } = service.start(id, 'task', {});
    loop.last.begin();
    await settled();
    fillDisk();
    loop.last.say(long);
    await settled();
    clock.advance(150);
    loop.last.say(' and more');
    freeDisk();
    await settled();
    clock.advance(150);
    expect(runs.read(runId).turns[0]?.text).toBe(`${long} and more`);
    await service.close();
  });
});

describe('a live run in the database', () => {
  it('holds what was said a tenth of a second ago', async () => {
    const { service, conversations, loop, clock, runs } = openLimited();
    const { id } = conversations.create('c', 1);
    const { runId } = service.start(id, 'task', {});
    loop.last.begin();
    loop.last.say('Fo', 'ur');
    await settled();
    expect(runs.read(runId).turns[0]?.text).toBe('');
    clock.advance(100);
    expect(runs.read(runId)).toMatchObject({ status: 'running', turns: [{ text: 'Four' }] });
    await service.close();
  });

  it('is replayed from the database by a stream that lags far behind', async () => {
    const { service, conversations, loop } = openLimited();
    const { id } = conversations.create('c', 1);
    const { runId } = service.start(id, 'task', {});
    loop.last.begin();
    for (let said = 0; said < 50; said += 1) {
      loop.last.say(...Array.from({ length: 100 }, (_, index) => `${said * 100 + index} `));
      loop.last.emit([
        { type: 'turn_started', turn: 1, transcriptHash: `v1:${'a'.repeat(64)}`, messageCount: 1 },
      ]);
      await settled();
    }
    service.stop(runId);
    let text = '';
    for await (const message of service.attach(runId, 0)) {
      if (message.kind === 'opened') service.acknowledge(message.streamId, 1_000_000);
      else for (const event of message.events) if (event.type === 'delta') text += event.text;
    }
    expect(text.trim().split(' ')).toEqual(Array.from({ length: 5000 }, (_, n) => String(n)));
    await service.close();
  });
});
