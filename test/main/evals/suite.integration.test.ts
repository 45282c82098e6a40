import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EvalError } from '../../../main/evals/eval-error.ts';
import { everyCase } from '../../../main/evals/selection.ts';
import { inspectSuite, maxLineBytes, scanSuite } from '../../../main/evals/suite.ts';
import { withUnknownSlots } from '../../../main/evals/unknown-slots.ts';
import type { EvalCase } from '../../../contracts/evals.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { hasReference, noReference, referencePaths } from './reference-fixture.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-suite-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function read(path: string): Promise<{ cases: EvalCase[]; problems: string[] }> {
  const cases: EvalCase[] = [];
  const problems: string[] = [];
  for await (const item of scanSuite(path)) {
    if (item.kind === 'case') cases.push(item.case);
    else problems.push(`${item.diagnostic.line}:${item.diagnostic.code}`);
  }
  return { cases, problems };
}

const good = (id: string): string => JSON.stringify({ id, prompt: `Question ${id}` });

describe('JSON lines', () => {
  it('passes over blank lines and comments, reads CRLF and a byte-order mark', async () => {
    const path = file('s.jsonl', `\ufeff${good('a')}\r\n\r\n# note\r\n// note\r\n${good('b')}\r\n`);
    expect(await read(path)).toMatchObject({ cases: [{ id: 'a' }, { id: 'b' }], problems: [] });
  });
  it('names the line of everything wrong and still gives the good cases', async () => {
    const lines = [
      good('a'),
      '{"id": "b", ',
      '{"prompt": "no id"}',
      good('a'),
      '{"id":"c","messages":[{"role":"tool","content":"x"}]}',
      '{"id":"d","prompt":"x","expected":{"role":"Critic"}}',
      '{"id":"e","prompt":"x","messages":[]}',
      '[1,2]',
      `{"id":"f","prompt":"${'x'.repeat(maxLineBytes)}"}`,
      good('g'),
      '{"id":"torn","pro',
    ];
    const { cases, problems } = await read(file('s.jsonl', lines.join('\n')));
    expect(cases.map((entry) => entry.id)).toEqual(['a', 'g']);
    expect(problems).toEqual([
      '2:bad_json',
      '3:bad_case',
      '4:duplicate_id',
      '5:unknown_role',
      '6:unknown_role',
      '7:bad_case',
      '8:bad_case',
      '9:line_too_long',
      '11:torn_last_line',
    ]);
  });
  it('says what an id, a slot or a role should be', async () => {
    const lines = [
      '{"prompt":"x"}',
      '{"id":"a","prompt":"x","expected":{"agent":"first"}}',
      '{"id":"b","prompt":"x","expected":{"role":[]}}',
      '{"id":"b2","prompt":"x","expected":{"role":true}}',
      '{"id":"c","prompt":7}',
    ];
    const { diagnostics } = await inspectSuite(file('s.jsonl', lines.join('\n')));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'id is missing',
      'expected.agent should be the number of a slot (0, 1, ...), or a list of them',
      'expected.role is an empty list',
      'expected.role should be the name or number of a role, or a list of them',
      'prompt should be string, not number',
    ]);
  });
  it('takes a last line that is whole though it lacks its line end', async () => {
    expect((await read(file('s.jsonl', good('a')))).cases).toHaveLength(1);
  });
  it('reads expectations by id, by name and in sets', async () => {
    const path = file(
      's.jsonl',
      [
        '{"id":"1","prompt":"x","expected":{"agent":[0,4],"role":"verifier"}}',
        '{"id":"2","prompt":"x","expected":{"agent_id":3,"role_id":2}}',
        '{"id":"3","prompt":"x","expected":{"agentIds":[1],"roleIds":[0,1]}}',
        '{"id":"4","prompt":"x"}',
      ].join('\n'),
    );
    expect((await read(path)).cases.map((entry) => entry.expected)).toEqual([
      { agentIds: [0, 4], roleIds: [2] },
      { agentIds: [3], roleIds: [2] },
      { agentIds: [1], roleIds: [0, 1] },
      {},
    ]);
  });
});

describe('expected slots that a router lacks', () => {
  const inspect = async (lines: readonly object[], agentCount: number, selection = everyCase) => {
    const path = file('s.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
    return withUnknownSlots(await inspectSuite(path), path, selection, agentCount);
  };
  const lines = [
    { id: 'a', prompt: 'x', expected: { agent: 6 } },
    { id: 'b', prompt: 'x', expected: { agent: [0, 7, 9] } },
    { id: 'c', prompt: 'x' },
  ];

  it('are told with the line, beside what else is wrong, and the cases still count', async () => {
    const report = await inspect([{ prompt: 'no id' }, ...lines], 7);
    expect(report.caseCount).toBe(3);
    expect(report.diagnostics.map(({ line, caseId, code }) => [line, caseId, code])).toEqual([
      [1, null, 'bad_case'],
      [3, 'b', 'unknown_slot'],
    ]);
    expect(report.diagnostics[1]?.message).toBe('expects slot 7, 9; the router has 0 to 6');
  });
  it('are none where every slot is there, or the case is not selected', async () => {
    expect((await inspect(lines, 10)).diagnostics).toEqual([]);
    expect((await inspect(lines, 7, { ...everyCase, ids: ['a'] })).diagnostics).toEqual([]);
  });
  it('are counted beyond those that are kept', async () => {
    const many = Array.from({ length: 1002 }, (_, at) => ({ ...lines[1], id: `${at}` }));
    const report = await inspect(many, 7);
    expect([report.diagnostics.length, report.moreDiagnostics]).toEqual([1000, 2]);
  });
});

describe('other forms', () => {
  it('reads a JSON list and an object with cases', async () => {
    const list = file('a.json', `[${good('a')},${good('b')}]`);
    const object = file('b.json', `{"schema_version":1,"cases":[${good('a')}]}`);
    expect((await read(list)).cases).toHaveLength(2);
    expect((await read(object)).cases).toHaveLength(1);
  });
  it('reads a table with quotes, several expectations and tags, and names bad rows', async () => {
    const path = file(
      's.csv',
      '\ufeffid,prompt,expected_agent,expected_role,tags\r\n' +
        'a,"two\nlines, ""quoted""",0|4,Verifier,math;verify\r\n' +
        'b,,,,\r\n' +
        'c,plain,x,,\r\n',
    );
    const { cases, problems } = await read(path);
    expect(cases).toEqual([
      {
        id: 'a',
        messages: [{ role: 'user', content: 'two\nlines, "quoted"' }],
        expected: { agentIds: [0, 4], roleIds: [2] },
        tags: ['math', 'verify'],
        notes: '',
      },
    ]);
    expect(problems).toEqual(['4:bad_case', '5:bad_case']);
  });
  it('keeps the rows before a quote that never closes', async () => {
    const { cases, problems } = await read(file('s.csv', 'id,prompt\na,x\nb,"never\nc,y\n'));
    expect(cases.map((entry) => entry.id)).toEqual(['a']);
    expect(problems[0]).toMatch(/bad_table$/);
  });
  it('reads a folder in the order of names, prompts from text files included', async () => {
    mkdirSync(join(folder, 'suite'));
    file('suite/2.txt', 'A prompt\nover two lines');
    file('suite/1.jsonl', `${good('first')}\n`);
    file('suite/ignored.png', 'x');
    expect((await read(join(folder, 'suite'))).cases.map((entry) => entry.id)).toEqual([
      'first',
      '2',
    ]);
  });
  it('refuses what is no suite, by name', async () => {
    const codes = await Promise.all(
      [join(folder, 'none.json'), file('a.json', 'no json'), file('b.json', '{"x":1}')].map(
        (path) => read(path).catch((error: unknown) => (error as EvalError).code),
      ),
    );
    expect(codes).toEqual(['suite_not_found', 'suite_unreadable', 'suite_unreadable']);
  });
});

describe('inspectSuite', () => {
  it('hashes the good cases alone, whatever form they come in', async () => {
    const lines = await inspectSuite(file('a.jsonl', `${good('a')}\nbroken\n${good('b')}\n`));
    const document = await inspectSuite(file('b.json', `[${good('a')},${good('b')}]`));
    const other = await inspectSuite(file('c.json', `[${good('b')},${good('a')}]`));
    expect(lines).toMatchObject({ caseCount: 2, suiteHash: document.suiteHash });
    expect(lines.diagnostics).toHaveLength(1);
    expect(other.suiteHash).not.toBe(document.suiteHash);
  });

  skipUnless(hasReference, noReference).describe('on the published suite', () => {
    it('loads 37 cases without a diagnostic', async () => {
      const report = await inspectSuite(referencePaths.cases);
      expect(report).toMatchObject({ caseCount: 37, diagnostics: [] });
    });
  });

  it('never throws anything but its own error, whatever the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('x.jsonl', 'x.json', 'x.csv'),
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
          fc.json().map((text) => Buffer.from(text)),
          fc.string({ maxLength: 300 }).map((text) => Buffer.from(`id,prompt\n${text}`)),
          fc.array(fc.jsonValue()).map((values) => Buffer.from(JSON.stringify({ cases: values }))),
        ),
        async (name, content) => {
          try {
            await inspectSuite(file(name, content));
          } catch (error) {
            expect(error).toBeInstanceOf(EvalError);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
