import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { earlierMessages } from '../../../coordinator/views.ts';
import { verifyTrace } from '../../../main/traces/verify.ts';
import { play, scenarios } from '../../coordinator/random-runs.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { eventfulRun, linesOf, writeTrace } from './traced-run.ts';
import fc from 'fast-check';

/** Writes lines with a right `prev` chain, whatever else is wrong with them. */
function rechained(lines: readonly object[]): string {
  let prev: string | null = null;
  return lines
    .map((line) => {
      const text = JSON.stringify({ ...line, prev });
      prev = createHash('sha256').update(text).digest('hex');
      return `${text}\n`;
    })
    .join('');
}

async function tampered(
  change: (lines: Record<string, unknown>[]) => void,
  content: 'hash' | 'full' = 'hash',
) {
  const folder = temporaryFolder();
  const { writer } = await writeTrace(folder, await eventfulRun(), { content });
  const lines = linesOf(writer.path) as unknown as Record<string, unknown>[];
  change(lines);
  const path = join(folder, 'tampered.jsonl');
  writeFileSync(path, rechained(lines));
  return verifyTrace(path);
}

const at = (lines: Record<string, unknown>[], type: string) => {
  const line = lines.find((one) => one['type'] === type);
  if (line === undefined) throw new Error(`no ${type}`);
  return line;
};

describe('verifyTrace', () => {
  it.each(['hash', 'full'] as const)(
    'finds nothing wrong with a %s trace as written',
    async (content) => {
      const { writer } = await writeTrace(temporaryFolder(), await eventfulRun(), { content });
      expect(await verifyTrace(writer.path)).toMatchObject({
        runId: 'run-1',
        content,
        turns: 5,
        decisions: 6,
        unknown: 0,
        hasEnded: true,
        isTorn: false,
        problems: [],
      });
    },
  );

  it('finds nothing wrong with the trace of any run', async () => {
    const folder = temporaryFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(scenarios, fc.constantFrom('hash', 'full'), async (scenario, content) => {
        const { events, left } = await play(scenario);
        const directory = join(folder, String(count++));
        const { writer } = await writeTrace(directory, events, {
          content,
          earlier: earlierMessages({ systemPrompt: '', history: scenario.history }),
        });
        if (events.length === 0) return;
        const report = await verifyTrace(writer.path);
        expect(report.problems).toEqual([]);
        if (!left) expect(report.hasEnded).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('sees a changed byte in the line after it', async () => {
    const { writer } = await writeTrace(temporaryFolder(), await eventfulRun());
    const text = readFileSync(writer.path, 'utf8');
    writeFileSync(writer.path, text.replace('"maxTurns":5', '"maxTurns":6'));
    expect((await verifyTrace(writer.path)).problems).toMatchObject([{ line: 2, check: 'chain' }]);
  });

  it('sees a line that was taken out, doubled or exchanged, also with the chain made right', async () => {
    const out = await tampered((lines) => void lines.splice(4, 1));
    expect(out.problems.map(({ check }) => check)).toContain('order');
    const doubled = await tampered((lines) => void lines.splice(4, 0, lines[4] ?? {}));
    expect(doubled.problems.length).toBeGreaterThan(0);
    const exchanged = await tampered(
      (lines) => void lines.splice(1, 2, ...lines.slice(1, 3).reverse()),
    );
    expect(exchanged.problems.length).toBeGreaterThan(0);
  });

  it.each<[string, (lines: Record<string, unknown>[]) => void, string]>([
    [
      'a logit that makes another choice',
      (lines) =>
        void ((at(lines, 'routed')['decision'] as { agentLogits: number[] }).agentLogits[2] = 99),
      'decision',
    ],
    [
      'a margin',
      (lines) =>
        void ((at(lines, 'routed')['decision'] as { roleMargin: number }).roleMargin += 1e-5),
      'decision',
    ],
    [
      'the raw role',
      (lines) =>
        void ((at(lines, 'routed')['decision'] as { role: { raw: string } }).role.raw = 'Worker'),
      'decision',
    ],
    [
      'an effective slot',
      (lines) =>
        void ((at(lines, 'routed')['decision'] as { slot: { effective: number } }).slot.effective =
          0),
      'decision',
    ],
    ['the run id of a line', (lines) => void (at(lines, 'routed')['runId'] = 'other'), 'order'],
    ['a turn', (lines) => void (at(lines, 'delta')['turn'] = 4), 'order'],
    ['a call', (lines) => void (at(lines, 'dispatch_finished')['call'] = 9), 'order'],
    [
      'an end before the end',
      (lines) => void lines.splice(3, 0, { ...lines.at(-1), seq: 3 }),
      'order',
    ],
    ['the slot of a call', (lines) => void (at(lines, 'dispatch_started')['slot'] = 2), 'order'],
    [
      'the role of a call',
      (lines) => void (at(lines, 'dispatch_started')['role'] = 'Verifier'),
      'order',
    ],
    ['the slot of an end', (lines) => void (at(lines, 'dispatch_failed')['slot'] = 2), 'order'],
    ['the slot of a turn', (lines) => void (at(lines, 'turn_completed')['slot'] = 1), 'order'],
    [
      'the role of a turn',
      (lines) => void (at(lines, 'turn_completed')['role'] = 'Worker'),
      'order',
    ],
    [
      'the verdict of the run',
      (lines) => void (at(lines, 'run_completed')['verdict'] = null),
      'order',
    ],
    [
      'the verdict of the last turn',
      (lines) => void (lines.findLast(({ type }) => type === 'turn_completed')!['verdict'] = null),
      'order',
    ],
    [
      'the ending, to a budget that is not named',
      (lines) => void (at(lines, 'run_completed')['status'] = 'budget'),
      'order',
    ],
    [
      'the budget of a run that ended without one',
      (lines) => void (at(lines, 'run_completed')['budget'] = 'cost'),
      'order',
    ],
    [
      'a margin of slots that were left, where no others make it',
      (lines) =>
        void ((at(lines, 'routed')['decision'] as { maskedMargin: number }).maskedMargin = 0.5),
      'decision',
    ],
    [
      'an effective slot to one that there is not',
      (lines) =>
        void ((at(lines, 'routed')['decision'] as { slot: object }).slot = {
          raw: 1,
          effective: 3,
          reason: { kind: 'pin' },
        }),
      'decision',
    ],
    [
      'a count of tokens',
      (lines) => void ((at(lines, 'routed')['decision'] as { tokenCount: number }).tokenCount = -1),
      'schema',
    ],
    [
      'a count of messages',
      (lines) => void (at(lines, 'turn_started')['messageCount'] = -1),
      'schema',
    ],
    ['a latency', (lines) => void (at(lines, 'dispatch_finished')['latencyMs'] = -1), 'schema'],
    ['a type of a member', (lines) => void (at(lines, 'delta')['characters'] = 'many'), 'schema'],
  ])('sees a change of %s', async (_, change, check) => {
    const report = await tampered(change);
    expect(report.problems.map((problem) => problem.check)).toContain(check);
  });

  it.each<[string, (lines: Record<string, unknown>[]) => void]>([
    [
      'what came before',
      (lines) => void (at(lines, 'run_started')['earlier'] = [{ role: 'user', content: 'Other?' }]),
    ],
    ['the task', (lines) => void (at(lines, 'run_started')['task'] = 'Another?')],
    ['a delta', (lines) => void (at(lines, 'delta')['text'] = 'Another')],
    ['a turn', (lines) => void (at(lines, 'turn_completed')['text'] = 'Another')],
  ])('sees a change of the text of %s in a full trace', async (_, change) => {
    const report = await tampered(change, 'full');
    expect(report.problems.map((problem) => problem.check)).toContain('text');
  });

  it('finds nothing wrong with a run that its owner had to end in the middle', async () => {
    const report = await tampered((lines) => {
      const end = { ...lines.at(-1), type: 'run_failed', code: 'storage_unwritable', seq: 6 };
      lines.splice(6, lines.length, end);
    });
    expect(report).toMatchObject({ hasEnded: true, problems: [] });
  });

  it('passes over types and versions that it does not know, but not over their chain', async () => {
    const report = await tampered((lines) => {
      lines.splice(2, 0, { ...lines[1], type: 'mood_changed', mood: 'fine' });
      lines.forEach((line, seq) => (line['seq'] = seq));
    });
    expect(report).toMatchObject({ unknown: 1, problems: [], hasEnded: true });
  });

  it('says that a trace has not ended, or is torn, without calling it wrong', async () => {
    const folder = temporaryFolder();
    const { writer } = await writeTrace(folder, await eventfulRun());
    const bytes = readFileSync(writer.path);
    const firstLine = bytes.indexOf(0x0a) + 1;
    const path = join(folder, 'cut.jsonl');
    for (let length = firstLine; length < bytes.length; length += 131) {
      writeFileSync(path, bytes.subarray(0, length));
      const report = await verifyTrace(path);
      expect(report).toMatchObject({ hasEnded: false, problems: [] });
      expect(report.isTorn).toBe(bytes[length - 1] !== 0x0a);
    }
  });

  it.each([
    ['an empty file', ''],
    ['prose', 'Hello.\n'],
    ['another JSON', '{"type":"header","format":"trinity-eval"}\n'],
    ['a torn first line', '{"v":1,"seq":0'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a])],
  ])('refuses %s', async (_, content) => {
    const path = join(temporaryFolder(), 'x.jsonl');
    writeFileSync(path, content);
    await expect(verifyTrace(path)).rejects.toMatchObject({ code: 'not_a_trace' });
  });

  it('takes a byte order mark for what it is: a byte that the writer did not write', async () => {
    const { writer } = await writeTrace(temporaryFolder(), await eventfulRun());
    const text = readFileSync(writer.path, 'utf8');
    writeFileSync(writer.path, text.replace('\n', '\n\ufeff'));
    const { problems } = await verifyTrace(writer.path);
    expect(problems[0]).toMatchObject({ line: 2, check: 'schema' });
    writeFileSync(writer.path, `\ufeff${text}`);
    await expect(verifyTrace(writer.path)).rejects.toMatchObject({ code: 'not_a_trace' });
  });

  it('names a file that is not there', async () => {
    await expect(verifyTrace('/nowhere/x.jsonl')).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('reads damaged traces without throwing anything else', async () => {
    const folder = temporaryFolder();
    const { writer } = await writeTrace(folder, await eventfulRun());
    const bytes = readFileSync(writer.path);
    const firstLine = bytes.indexOf(0x0a) + 1;
    const path = join(folder, 'damaged.jsonl');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: firstLine, max: bytes.length - 1 }), fc.nat(255)), {
          minLength: 1,
          maxLength: 5,
        }),
        async (changes) => {
          const damaged = Buffer.from(bytes);
          for (const [offset, value] of changes) damaged[offset] = value;
          fc.pre(!damaged.equals(bytes));
          writeFileSync(path, damaged);
          const report = await verifyTrace(path);
          const isLastLineOnly = changes.every(([offset]) => offset >= bytes.lastIndexOf(0x0a, -2));
          if (!isLastLineOnly)
            expect(report.problems.length + Number(report.isTorn)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
