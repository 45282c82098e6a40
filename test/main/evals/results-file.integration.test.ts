import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EvalError } from '../../../main/evals/eval-error.ts';
import { everyCase } from '../../../main/evals/selection.ts';
import {
  evaluate,
  type EvaluationEvent,
  type EvaluationOptions,
} from '../../../main/evals/evaluation.ts';
import { openResults } from '../../../main/evals/result-source.ts';
import { scanResults } from '../../../main/evals/results-file.ts';
import { readSnapshot, snapshotCase, snapshotText } from '../../../main/evals/snapshot.ts';
import type { EvalCaseResult } from '../../../contracts/evals.ts';
import type { Router } from '../../../contracts/router.ts';
import { scriptedRouter } from './scripted-router.ts';

let folder = '';
let calls = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-results-'));
  calls = 0;
  writeFileSync(
    join(folder, 'suite.jsonl'),
    ['a', 'b', 'c', 'd'].map((id) => JSON.stringify({ id, prompt: id })).join('\n'),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const identity = {
  adapterRef: 'a'.repeat(64),
  profile: 'cpu-f32',
  graphVersion: 1,
  machine: { platform: 'test', arch: 'test', cpu: 'test', cores: 1 },
} as const;

/** A router that does something, once, before it routes the named case. */
function onCase(id: string, act: () => unknown): Router {
  return scriptedRouter(script, (text) => {
    calls += 1;
    return text === `user: ${id}` ? act() : undefined;
  });
}

const script = new Map(
  ['a', 'b', 'c', 'd'].map((id, index) => [
    `user: ${id}`,
    { agentLogits: [index, 1.5, 0.1 + 0.2], roleLogits: [1, 2, 3], tokenCount: 3 },
  ]),
);

async function run(change: Partial<EvaluationOptions> = {}): Promise<EvaluationEvent[]> {
  const events: EvaluationEvent[] = [];
  const generator = evaluate({
    suitePath: join(folder, 'suite.jsonl'),
    selection: everyCase,
    identity,
    resultsPath: join(folder, 'results.jsonl'),
    isResumed: false,
    clock: { now: () => 0, monotonic: () => calls * 10, after: () => () => undefined },
    router: scriptedRouter(script, () => (calls += 1)),
    floors: { agent: null, role: null, source: 'none' },
    snapshot: null,
    isReportOnly: false,
    determinismRuns: 1,
    tokenizer: 'typed',
    signal: new AbortController().signal,
    ...change,
  });
  for await (const event of generator) events.push(event);
  return events;
}

function requireOwnError(error: unknown): void {
  expect(error).toBeInstanceOf(EvalError);
}

async function types(): Promise<string[]> {
  const found: string[] = [];
  for await (const { line } of scanResults(join(folder, 'results.jsonl'))) found.push(line.type);
  return found;
}

describe('results on disk', () => {
  it('are a header, the cases in order and a summary, for the owner only', async () => {
    await run();
    expect(await types()).toEqual(['header', 'case', 'case', 'case', 'case', 'summary']);
    expect(statSync(join(folder, 'results.jsonl')).mode & 0o777).toBe(0o600);
  });
  it('keep logits at full precision', async () => {
    await run();
    const source = await openResults(join(folder, 'results.jsonl'));
    expect((await source.get('a'))?.agentLogits[2]).toBe(0.1 + 0.2);
    await source.close();
    await source.close();
  });
  it('are never overwritten', async () => {
    await run();
    const before = readFileSync(join(folder, 'results.jsonl'));
    await expect(run()).rejects.toMatchObject({ code: 'results_mismatch' });
    expect(readFileSync(join(folder, 'results.jsonl'))).toEqual(before);
  });
  it('resume after a cut anywhere and come out the same, routing only what is missing', async () => {
    await run();
    const whole = readFileSync(join(folder, 'results.jsonl'), 'utf8');
    const headerEnd = whole.indexOf('\n') + 1;
    for (let cut = headerEnd; cut < whole.length; cut += 97) {
      writeFileSync(join(folder, 'results.jsonl'), whole.slice(0, cut));
      const complete = whole.slice(0, cut).split('\n').length - 2;
      calls = 0;
      const events = await run({ isResumed: true });
      expect(readFileSync(join(folder, 'results.jsonl'), 'utf8')).toBe(whole);
      expect(calls).toBe(4 - Math.min(4, complete));
      expect(events.at(-1)).toMatchObject({ type: 'finished', isCancelled: false });
    }
  });
  it('refuse to be resumed for another router, profile or suite, by name', async () => {
    await run();
    await expect(
      run({ isResumed: true, identity: { ...identity, profile: 'cpu-8bit' } }),
    ).rejects.toMatchObject({
      code: 'results_mismatch',
      message: expect.stringContaining('profile') as string,
    });
    appendFileSync(join(folder, 'suite.jsonl'), '\n{"id":"e","prompt":"e"}');
    await expect(run({ isResumed: true })).rejects.toThrow(/suiteHash/);
  });
  it('refuse to be resumed with another selection, floor or snapshot, by name', async () => {
    await run();
    const changes: readonly (readonly [Partial<EvaluationOptions>, RegExp])[] = [
      [{ selection: { ...everyCase, ids: ['a'] } }, /caseCount/],
      [{ selection: { ...everyCase, ids: ['d', 'c', 'b', 'a'] } }, /cases/],
      [{ floors: { agent: 1, role: null, source: 'flag' } }, /agentFloor/],
      [{ snapshot: new Map() }, /snapshotHash/],
      [{ determinismRuns: 2 }, /determinismRuns/],
      [{ isReportOnly: true }, /reportOnly/],
    ];
    for (const [change, member] of changes) {
      await expect(run({ ...change, isResumed: true })).rejects.toThrow(member);
    }
  });
  it('begin when there is nothing to resume, or a header that a kill cut', async () => {
    await run({ isResumed: true });
    const path = join(folder, 'results.jsonl');
    const whole = readFileSync(path, 'utf8');
    for (const cut of [0, 1, 30, whole.indexOf('\n')]) {
      writeFileSync(path, whole.slice(0, cut));
      await run({ isResumed: true });
      expect(readFileSync(path, 'utf8')).toBe(whole);
    }
  });
  it('leave a file that is no results file as it is', async () => {
    const path = join(folder, 'results.jsonl');
    for (const foreign of ['[{"id":"a","prompt":"x"}]', '{"id":"a","prompt":"x"}\n', 'text']) {
      writeFileSync(path, foreign);
      await expect(run({ isResumed: true })).rejects.toMatchObject({ code: 'results_unreadable' });
      expect(readFileSync(path, 'utf8')).toBe(foreign);
    }
  });
  it('are written by one evaluation at a time; the second is refused and the first goes on', async () => {
    let second: unknown = null;
    const begin = async (): Promise<void> => {
      second = await run({ isResumed: true }).catch((error: unknown) => error);
    };
    await run({ router: onCase('c', begin) });
    expect(second).toMatchObject({ code: 'results_busy' });
    expect(await types()).toEqual(['header', 'case', 'case', 'case', 'case', 'summary']);
    expect(readdirSync(folder).sort()).toEqual(['results.jsonl', 'suite.jsonl']);
  });
  it('are taken over from a process that was killed, and from no other', async () => {
    const lock = join(folder, 'results.jsonl.lock');
    const { pid } = spawnSync(process.execPath, ['--version']);
    writeFileSync(lock, `${pid}\n`);
    await run();
    expect(existsSync(lock)).toBe(false);
    for (const held of [`${process.ppid}\n`, '']) {
      writeFileSync(lock, held);
      await expect(run({ isResumed: true })).rejects.toMatchObject({ code: 'results_busy' });
    }
  });
  it('are left as they are when something else wrote into them', async () => {
    const path = join(folder, 'results.jsonl');
    const router = onCase('c', () => appendFileSync(path, 'foreign\n'));
    await expect(run({ router })).rejects.toMatchObject({ code: 'results_busy' });
    expect(readFileSync(path, 'utf8')).toMatch(/foreign\n$/);
  });
  it('resume before a case that came twice', async () => {
    await run();
    const path = join(folder, 'results.jsonl');
    const whole = readFileSync(path, 'utf8');
    const lines = whole.split('\n');
    writeFileSync(path, [...lines.slice(0, 3), lines[2], ...lines.slice(3)].join('\n'));
    await run({ isResumed: true });
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });
  it('keep what was done when cancelled, without a summary', async () => {
    const abort = new AbortController();
    const generator = run({
      signal: abort.signal,
      router: scriptedRouter(
        new Map([
          ['user: a', { agentLogits: [1, 2], roleLogits: [1, 2, 3], tokenCount: 3 }],
          ['user: b', { agentLogits: [1, 2], roleLogits: [1, 2, 3], tokenCount: 3 }],
        ]),
        (text) => {
          if (text === 'user: b') abort.abort();
        },
      ),
    });
    expect((await generator).at(-1)).toMatchObject({ isCancelled: true });
    expect(await types()).toEqual(['header', 'case']);
  });
  it('name the line that is none of ours', async () => {
    await run();
    appendFileSync(join(folder, 'results.jsonl'), '{"type":"case"}\n');
    await expect(types()).rejects.toThrow(/Line 7/);
  });
  it('tell an estimate of what remains once a case was routed', async () => {
    const remaining = (await run()).flatMap((event) =>
      event.type === 'case' ? [event.remainingMs] : [],
    );
    expect(remaining).toEqual([30, 20, 10, 0]);
  });
});

describe('a results file that is compared', () => {
  it('gives its cases while it is still written', async () => {
    await run();
    const path = join(folder, 'results.jsonl');
    const whole = readFileSync(path, 'utf8');
    const lines = whole.split('\n');
    const read = async (content: string) => {
      writeFileSync(path, content);
      const source = await openResults(path);
      const ids = [...source.ids()];
      const last = await source.get(ids.at(-1) ?? '');
      await source.close();
      return { ids, isComplete: source.isComplete, last: last?.id ?? null };
    };
    expect(await read(whole)).toEqual({
      ids: ['a', 'b', 'c', 'd'],
      isComplete: true,
      last: 'd',
    });
    expect(await read(`${lines.slice(0, 3).join('\n')}\n${lines[3]?.slice(0, 50)}`)).toEqual({
      ids: ['a', 'b'],
      isComplete: false,
      last: 'b',
    });
    expect(await read(`${lines[0]}\n`)).toEqual({ ids: [], isComplete: false, last: null });
  });
  it('finds lines whose members another program put in another order', async () => {
    await run();
    const path = join(folder, 'results.jsonl');
    const turned = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const members = Object.entries(JSON.parse(line) as Record<string, unknown>);
        const rest = members.filter(([name]) => name !== 'type');
        return JSON.stringify(Object.fromEntries([...rest, ...members.slice(0, 1)]));
      });
    // The file is told from a snapshot by the beginning of its header.
    writeFileSync(
      path,
      [readFileSync(path, 'utf8').split('\n', 1)[0], ...turned.slice(1)].join('\n') + '\n',
    );
    const source = await openResults(path);
    expect([...source.ids()]).toEqual(['a', 'b', 'c', 'd']);
    expect(await source.get('c')).toMatchObject({ id: 'c', tokenCount: 3 });
    await source.close();
  });
  it('names the case whose line is malformed when it is asked for', async () => {
    await run();
    const path = join(folder, 'results.jsonl');
    const broken = readFileSync(path, 'utf8').replace(
      '"id":"b","status":"reported"',
      '"id":"b","status":7',
    );
    writeFileSync(path, broken);
    const source = await openResults(path);
    await expect(source.get('b')).rejects.toMatchObject({
      code: 'results_unreadable',
      message: expect.stringContaining('"b"') as string,
    });
    await source.close();
  });
});

describe('a results file that contradicts itself', () => {
  const path = (): string => join(folder, 'results.jsonl');
  const opened = async (): Promise<void> => {
    const source = await openResults(path());
    try {
      for (const id of source.ids()) await source.get(id);
    } finally {
      await source.close();
    }
  };
  const refused = (text: string) =>
    expect.objectContaining({
      code: 'results_unreadable',
      message: expect.stringContaining(text) as string,
    }) as unknown;

  it.each([
    ['agentId', 'is not the argmax of its logits'],
    ['roleId', 'is not the argmax of its logits'],
    ['agentMargin', 'does not follow from its logits'],
    ['roleMargin', 'does not follow from its logits'],
  ])('is refused at the line whose %s %s', async (member, fault) => {
    await run();
    const lines = readFileSync(path(), 'utf8').split('\n');
    const line = JSON.parse(lines[2]!) as Record<string, number>;
    line[member] = line[member]! + (member.endsWith('Id') ? -1 : 1e-6);
    lines[2] = JSON.stringify(line);
    writeFileSync(path(), lines.join('\n'));
    const text = `Line 3 of ${path()}, the case "b", contradicts itself: ${member} ${fault}`;
    await expect(opened()).rejects.toEqual(refused(text));
    const [header, ...cases] = lines.slice(0, 5).map((entry) => JSON.parse(entry) as unknown);
    writeFileSync(path(), JSON.stringify({ format: 'trinity-eval', header, cases }, null, 1));
    const entry = `Entry 2 of "cases" in ${path()}, the case "b", contradicts itself: ${member}`;
    await expect(opened()).rejects.toEqual(refused(entry));
  });

  it('is refused at the line that holds a case again, routed or not', async () => {
    await run();
    const lines = readFileSync(path(), 'utf8').split('\n');
    const error = { type: 'case_error', status: 'error', code: 'x', message: '', tags: [] };
    const failed = JSON.stringify({ ...error, id: 'a' });
    for (const again of [lines[1]!, JSON.stringify({ ...JSON.parse(lines[1]!), x: 1 }), failed]) {
      writeFileSync(path(), [...lines.slice(0, 3), again, ...lines.slice(3)].join('\n'));
      await expect(opened()).rejects.toEqual(
        refused(`Line 4 of ${path()} holds the case "a" a second time`),
      );
    }
    const [header, ...cases] = lines.slice(0, 5).map((entry) => JSON.parse(entry) as unknown);
    const assembled = { format: 'trinity-eval', header, cases: [...cases, cases[0]] };
    writeFileSync(path(), JSON.stringify(assembled));
    await expect(opened()).rejects.toEqual(
      refused(`Entry 5 of "cases" in ${path()} holds the case "a" a second time`),
    );
  });
});

describe('parsers of results and snapshots', () => {
  it('end in their own error, whatever the bytes', async () => {
    await run();
    const whole = readFileSync(join(folder, 'results.jsonl'));
    const path = join(folder, 'fuzzed');
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
          fc.json().map((text) => Buffer.from(text)),
          fc
            .tuple(fc.nat(whole.length - 1), fc.nat(255))
            .map(([at, byte]) =>
              Buffer.from(whole.map((value, index) => (index === at ? byte : value))),
            ),
        ),
        async (content) => {
          writeFileSync(path, content);
          for (const open of [openResults, readSnapshot]) {
            try {
              const opened = await open(path);
              if ('close' in opened) {
                for (const id of opened.ids()) await opened.get(id).catch(requireOwnError);
                await opened.close();
              }
            } catch (error) {
              expect(error).toBeInstanceOf(EvalError);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });
  it('read back a snapshot that was written from results', async () => {
    const results = (await run()).flatMap((event) =>
      event.type === 'case' && event.line.type === 'case' ? [event.line as EvalCaseResult] : [],
    );
    const path = join(folder, 'snapshot.json');
    writeFileSync(path, snapshotText(results.map(snapshotCase), new Date(0)));
    expect([...(await readSnapshot(path)).keys()]).toEqual(['a', 'b', 'c', 'd']);
    expect((await openResults(path)).decimals).toBe(6);
  });
});
