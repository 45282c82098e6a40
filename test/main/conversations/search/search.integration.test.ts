import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sql as firstSchema } from '../../../../main/conversations/migrations/0001-conversations.ts';
import { temporaryFolder } from '../../../fixtures/temporary-folder.ts';
import { openService, settled } from '../open-service.ts';
import type { SteppedLoop } from '../stepped-loop.ts';

type Parts = ReturnType<typeof openService<SteppedLoop>>;
type Service = Parts['service'];

/** A conversation with one message, whose run is stopped at once. */
function conversationOf({ service, loop }: Parts, message: string): string {
  const { id } = service.create();
  const { runId } = service.runs.start(id, message, {});
  loop.last.begin();
  service.runs.stop(runId);
  return id;
}

async function found(service: Service, query: string): Promise<string[]> {
  const page = await service.list({ query, before: null, limit: 200 });
  return page.conversations.map(({ title }) => title);
}

describe('searching conversations', () => {
  const messages = [
    'The résumé of a Kiel shipyard',
    'Zwölf Boxkämpfer jagen Viktor',
    '東京都の天気を教えてください',
    '京都は東の都ではない',
    '日本語とEnglishの混ざった文',
    '대한민국의 수도는 서울입니다',
    '北京烤鸭怎么做',
    'Print a range() loop in C++ 20',
  ] as const;
  const [resume, boxers, tokyo, kyoto, mixed, seoul, duck, range] = messages;

  const table: readonly (readonly [string, readonly string[]])[] = [
    ['resume', [resume]],
    ['RÉSUMÉ', [resume]],
    ['shipy', [resume]],
    ['kiel resume', [resume]],
    ['shipyard viktor', []],
    ['boxkampfer', [boxers]],
    ['hipyard', []],
    ['ship ', []],
    ['都', [kyoto, tokyo]],
    ['京都', [kyoto, tokyo]],
    ['東京', [tokyo]],
    ['東京都', [tokyo]],
    ['東京都の', [tokyo]],
    ['東京都の天', [tokyo]],
    ['東の都', [kyoto]],
    ['天気 東京', [tokyo]],
    ['english 日本', [mixed]],
    ['Eng', [mixed]],
    ['サ', []],
    ['서울', [seoul]],
    ['수도는 대한', [seoul]],
    ['烤鸭', [duck]],
    ['range loop', [range]],
    ['c 20', [range]],
    ['c++', [range]],
    ['"; DROP TABLE found_words --', []],
    ['NEAR(range loop) OR *', []],
    ['???', []],
  ];

  it('finds words by their beginnings and unspaced scripts by what stands in them', async () => {
    const parts = openService();
    for (const message of messages) conversationOf(parts, message);
    await settled();
    for (const [query, expected] of table) {
      expect(await found(parts.service, query), query).toEqual(expected);
    }
  });

  it('finds answers, titles and what was said before a stop, with the text around it', async () => {
    const { service, loop } = openService();
    const { id } = service.create();
    const { runId } = service.runs.start(id, 'task', {});
    loop.last.begin();
    loop.last.say('A half-finished ', 'thesaurus');
    await settled();
    service.runs.stop(runId);
    await settled();
    const list = (query: string) => service.list({ query, before: null, limit: 10 });
    expect((await list('thesau')).conversations).toMatchObject([
      { id, snippet: 'A half-finished thesaurus' },
    ]);
    service.conversations.rename(id, 'Wordbooks');
    expect(await found(service, 'wordb')).toEqual(['Wordbooks']);
    service.conversations.rename(id, 'Lexica');
    expect(await found(service, 'wordb')).toEqual([]);
    await service.runs.remove(id);
    for (const query of ['thesau', 'lexica', 'task'])
      expect(await found(service, query)).toEqual([]);
  });

  it('gives every conversation once, by its newest match, in pages', async () => {
    const parts = openService();
    const { service } = parts;
    const ids = Array.from({ length: 12 }, (_, at) => conversationOf(parts, `common word ${at}`));
    await settled();
    // More matches than one slice of the index holds, all in one old conversation.
    for (let more = 0; more < 300; more += 1) {
      const { runId } = service.runs.start(ids[3] ?? '', 'common again', {});
      service.runs.stop(runId);
      await settled();
    }
    const seen: string[] = [];
    let before: number | null = null;
    do {
      const page: Awaited<ReturnType<Service['list']>> = await service.list({
        query: 'common',
        before,
        limit: 5,
      });
      seen.push(...page.conversations.map(({ id }) => id));
      before = page.next;
    } while (before !== null);
    const rest = ids.filter((_, at) => at !== 3).toReversed();
    expect(seen).toEqual([ids[3], ...rest]);
  });

  it('agrees with looking through every text, for any text of few characters', async () => {
    const character = fc.constantFrom(...'東京都天気あいア아');
    const text = fc.string({ unit: character, minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: character, minLength: 1, maxLength: 4 }),
        async (texts, query) => {
          const parts = openService();
          for (const each of texts) conversationOf(parts, each);
          await settled();
          const holding = texts.filter((each) => each.includes(query));
          expect(await found(parts.service, query)).toEqual(holding.toReversed());
          await parts.service.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds what was there before there was an index', async () => {
    const dataDirectory = temporaryFolder();
    const old = new DatabaseSync(join(dataDirectory, 'trinity.sqlite'));
    old.exec(`${firstSchema}
      PRAGMA user_version = 1;
      INSERT INTO conversations VALUES ('c', 'An old title', 1, '', 1, 1);
      INSERT INTO runs VALUES
        ('r', 'c', 'o', 'An old question', 'accepted', NULL, NULL, NULL, 'a', NULL, 'slots', 1, 2, 3);
      INSERT INTO turns VALUES ('r', 1, 0, 'Worker', NULL, NULL, NULL, '古い答え', '', 1, NULL, NULL,
        NULL, '[]', NULL, NULL, NULL, NULL);`);
    old.close();
    const { service } = openService({ dataDirectory });
    for (const query of ['title', 'question', '答え']) {
      expect(await found(service, query), query).toEqual(['An old title']);
    }
  });
});
