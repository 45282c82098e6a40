import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EvalCaseResult, EvalHeader } from '../../../contracts/evals.ts';
import { scaled } from '../scale.ts';

const child = fileURLToPath(new URL('./eval-child.ts', import.meta.url));
const run = promisify(execFile);
const megabyte = 2 ** 20;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-big-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function write(name: string, lines: Iterable<string>): Promise<string> {
  const path = join(folder, name);
  const stream = createWriteStream(path);
  for (const line of lines) {
    if (!stream.write(`${line}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return path;
}

async function inChild(...args: string[]): Promise<Record<string, unknown> & { rssBytes: number }> {
  const { stdout } = await run(process.execPath, [child, ...args], { maxBuffer: 64 * megabyte });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { rssBytes: number };
}

describe('a suite of 100,000 cases, about 200 MB', () => {
  it('is validated in one pass under 300 MB, its bad lines named by number', async () => {
    const count = scaled(100_000);
    const filler = 'A sentence that makes the case about two kilobytes long. '.repeat(35);
    const bad = new Set([2, Math.ceil(count / 2), count]);
    function* cases(): Generator<string> {
      for (let line = 1; line <= count; line++) {
        yield bad.has(line)
          ? '{"id": "broken", "messages": ['
          : JSON.stringify({ id: `case-${line}`, prompt: `${line} ${filler}` });
      }
    }
    const result = await inChild('inspect', await write('suite.jsonl', cases()));
    expect(result['caseCount']).toBe(count - bad.size);
    expect(result['lines']).toEqual([...bad]);
    expect(result.rssBytes).toBeLessThan(300 * megabyte);
  });
});

describe('a results file of 1 GB', () => {
  it('is compared without being held in memory', async () => {
    const header: EvalHeader = {
      type: 'header',
      format: 'trinity-eval',
      version: 1,
      suiteHash: `v1:${'a'.repeat(64)}`,
      suiteName: 'big',
      caseCount: 1,
      adapterRef: 'b'.repeat(64),
      profile: 'cpu-f32',
      graphVersion: 1,
      startedAt: 0,
      machine: { platform: 'test', arch: 'test', cpu: 'test', cores: 1 },
    };
    const result: EvalCaseResult = {
      type: 'case',
      id: '',
      status: 'reported',
      failures: [],
      agentId: 2,
      roleId: 0,
      agentLogits: [1, 2, 3],
      roleLogits: [3, 2, 1],
      agentMargin: 1,
      roleMargin: 1,
      tokenCount: 9,
      hiddenIndex: 7,
      transcriptHash: `v1:${'c'.repeat(64)}`,
      upstreamTranscriptHash: 'd'.repeat(64),
      upstreamRouteHash: 'e'.repeat(64),
      ms: 1,
      // Tags are what makes a line of a small suite long.
      tags: Array.from(
        { length: 90 },
        (_, index) => `a rather long tag, number ${index}, of a case`,
      ),
      expected: {},
    };
    const count = scaled(250_000);
    function* lines(): Generator<string> {
      yield JSON.stringify(header);
      for (let index = 0; index < count; index++) {
        yield JSON.stringify({ ...result, id: `case-${index}` });
      }
    }
    const path = await write('results.jsonl', lines());
    const compared = await inChild('compare', path, path);
    expect(compared).toMatchObject({ verdict: 'identical', same: count });
    expect(compared.rssBytes).toBeLessThan(400 * megabyte);
  });
});
