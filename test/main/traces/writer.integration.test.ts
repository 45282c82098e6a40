import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../contracts/failure.ts';
import type { RunEvent } from '../../../contracts/events.ts';
import { traceLineSchema } from '../../../main/traces/trace-line.ts';
import { nodeTraceFiles, type TraceFiles } from '../../../main/traces/writer.ts';
import { verifyTrace } from '../../../main/traces/verify.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { eventfulRun, linesOf, openWriter, writeTrace } from './traced-run.ts';

describe('a trace', () => {
  it('has one valid line an event, each with the hash of the line before', async () => {
    const events = await eventfulRun();
    const { writer } = await writeTrace(temporaryFolder(), events);
    const texts = readFileSync(writer.path, 'utf8').split('\n');
    expect(texts.pop()).toBe('');
    expect(texts).toHaveLength(events.length);
    texts.forEach((text, index) => {
      const line = traceLineSchema.parse(JSON.parse(text));
      const before = texts[index - 1];
      expect(line).toMatchObject({ seq: index, type: events[index]?.type, at: events[index]?.at });
      expect(line.prev).toBe(
        before === undefined ? null : createHash('sha256').update(before).digest('hex'),
      );
    });
  });

  it('holds no text and no plain hash of one by default', async () => {
    const { writer } = await writeTrace(temporaryFolder(), await eventfulRun());
    const file = readFileSync(writer.path, 'utf8');
    for (const text of [
      '6 times 7',
      'brief',
      'Before',
      'It is',
      'off by one',
      'right',
      'happened',
    ]) {
      expect(file).not.toContain(text);
    }
    expect(file).not.toContain('"v1:');
    expect(file).toContain('"h1:');
  });

  it('names the answer by the hash of the turn that gave it', async () => {
    const { writer } = await writeTrace(temporaryFolder(), await eventfulRun());
    const lines = linesOf(writer.path);
    const worker = lines.filter((line) => line.type === 'turn_completed' && line.role === 'Worker');
    const last = lines.at(-1);
    expect(last?.type === 'run_completed' && last.answerHash).toMatch(/^h1:/);
    expect(last).toMatchObject({ answerHash: (worker.at(-1) as { textHash: string }).textHash });
  });

  it('keeps every text and plain hashes when it is full', async () => {
    const events = await eventfulRun();
    const { writer } = await writeTrace(temporaryFolder(), events, { content: 'full' });
    const asJson = JSON.parse(JSON.stringify(events)) as RunEvent[];
    linesOf(writer.path).forEach((line, index) => {
      expect(line).toMatchObject({ ...asJson[index] });
    });
  });

  it('is readable by its owner only, in a folder of the same kind', async () => {
    const directory = join(temporaryFolder(), 'traces');
    const { writer } = await writeTrace(directory, await eventfulRun());
    expect(statSync(writer.path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('is in the file, line by line, before the next event, and takes none after it was closed', async () => {
    const events = await eventfulRun();
    const writer = openWriter(temporaryFolder());
    for (const [index, event] of events.entries()) {
      writer.write(event);
      expect(linesOf(writer.path)).toHaveLength(index + 1);
    }
    await writer.close();
    await writer.close();
    writer.write(events[0] as RunEvent);
    expect(linesOf(writer.path)).toHaveLength(events.length);
  });

  it('of a run without events leaves no file', async () => {
    const { writer, problems } = await writeTrace(temporaryFolder(), []);
    expect(() => statSync(writer.path)).toThrow('ENOENT');
    expect(problems).toEqual([]);
  });
});

describe('a trace that cannot be written', () => {
  const failing = (operation: keyof TraceFiles, atCall = 1): TraceFiles => {
    let calls = 0;
    const original = nodeTraceFiles[operation] as (...args: unknown[]) => unknown;
    return {
      ...nodeTraceFiles,
      [operation]: (...args: unknown[]) => {
        calls += 1;
        if (calls >= atCall) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        return original(...args);
      },
    };
  };

  it.each([
    ['mkdir', 1],
    ['create', 1],
    ['write', 1],
    ['write', 5],
    ['sync', 1],
  ] as const)(
    'for %s at call %i is reported once and throws nothing',
    async (operation, atCall) => {
      const files = failing(operation, atCall);
      const { problems } = await writeTrace(temporaryFolder(), await eventfulRun(), { files });
      expect(problems).toMatchObject([{ code: 'unwritable' }]);
      expect(problems[0]?.message).toContain('ENOSPC');
    },
  );

  it('does not end the run that it is written for', async () => {
    const problems: Failure[] = [];
    const writer = openWriter(temporaryFolder(), {
      files: failing('write', 4),
      onProblem: (problem) => problems.push(problem),
    });
    const events = await eventfulRun({}, (event) => writer.write(event));
    expect(events.at(-1)).toMatchObject({ type: 'run_completed', status: 'accepted' });
    expect(problems).toMatchObject([{ code: 'unwritable' }]);
  });

  it('keeps its whole lines and no part of one', async () => {
    let calls = 0;
    const files: TraceFiles = {
      ...nodeTraceFiles,
      write: (file, bytes, offset) => {
        calls += 1;
        if (calls === 8) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
        const part = bytes.subarray(0, Math.min(bytes.length, offset + 150));
        return nodeTraceFiles.write(file, part, offset);
      },
    };
    const { writer } = await writeTrace(temporaryFolder(), await eventfulRun(), { files });
    const report = await verifyTrace(writer.path);
    expect(report).toMatchObject({ isTorn: false, hasEnded: false, problems: [] });
    expect(report.lines).toBeGreaterThan(0);
  });

  it('does not stop at a folder that is a file, nor at a trace that is already there', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const events = await eventfulRun();
    const blocked = await writeTrace(join(folder, 'file'), events);
    expect(blocked.problems).toHaveLength(1);
    expect(blocked.problems[0]?.message).toContain(
      `${join(folder, 'file')} is a file, where a folder belongs.`,
    );
    writeFileSync(join(folder, 'run-1.jsonl'), 'mine\n');
    const taken = await writeTrace(folder, events);
    expect(taken.problems).toHaveLength(1);
    expect(taken.problems[0]?.message).toContain('There is a file of that name already');
    expect(readFileSync(taken.writer.path, 'utf8')).toBe('mine\n');
  });
});
