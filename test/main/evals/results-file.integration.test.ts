import {
  appendFileSync,
  mkdtempSync,
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

async function run(change: Partial<EvaluationOptions> = {}): Promise<EvaluationEvent[]> {
  const script = new Map(
    ['a', 'b', 'c', 'd'].map((id, index) => [
      `user: ${id}`,
      { agentLogits: [index, 1.5, 0.1 + 0.2], roleLogits: [1, 2, 3], tokenCount: 3 },
    ]),
  );
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
              if ('close' in opened) await opened.close();
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
