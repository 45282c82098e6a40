import { existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../contracts/failure.ts';
import { installationKey } from '../../../main/traces/installation-key.ts';
import { TraceService } from '../../../main/traces/trace-service.ts';
import { verifyTrace } from '../../../main/traces/verify.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { eventfulRun, linesOf, nothingKnown } from './traced-run.ts';

function serviceIn(
  folder: string,
  settings = { enabled: true, content: 'hash' as 'hash' | 'full' },
) {
  const problems: Failure[] = [];
  const service = new TraceService({
    directory: join(folder, 'traces'),
    keyFile: join(folder, 'trace.key'),
    settings: () => settings,
    known: () => nothingKnown,
    onProblem: (problem) => problems.push(problem),
  });
  return { service, problems, settings };
}

const before = { systemPrompt: 'Be brief.', earlier: [{ task: 'Before?', answer: 'Yes.' }] };

async function trace(service: TraceService, runId: string): Promise<void> {
  const opened = await service.open({ runId, ...before });
  for (const event of await eventfulRun()) opened.write(event);
  await opened.close();
}

describe('TraceService', () => {
  it('writes one file a run and lists the newest first with their content', async () => {
    const folder = temporaryFolder();
    const { service, settings } = serviceIn(folder);
    expect(await service.list(10)).toEqual([]);
    await trace(service, 'first');
    settings.content = 'full';
    await trace(service, 'second');
    utimesSync(join(folder, 'traces', 'first.jsonl'), 1, 1);
    writeFileSync(join(folder, 'traces', 'notes.txt'), '');
    expect(await verifyTrace(join(folder, 'traces', 'second.jsonl'))).toMatchObject({
      problems: [],
    });
    const list = await service.list(10);
    expect(list).toMatchObject([
      { runId: 'second', content: 'full' },
      { runId: 'first', content: 'hash', modifiedAt: 1000 },
    ]);
    expect(list[0]?.bytes).toBe(statSync(list[0]?.path ?? '').size);
    expect(await service.list(1)).toHaveLength(1);
  });

  it('names a folder of traces that cannot be read', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'traces'), '');
    await expect(serviceIn(folder).service.list(1)).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('hashes equal texts of one installation alike, also after a restart', async () => {
    const folder = temporaryFolder();
    await trace(serviceIn(folder).service, 'one');
    await trace(serviceIn(folder).service, 'two');
    const hashes = (runId: string) =>
      linesOf(join(folder, 'traces', `${runId}.jsonl`)).map((line) =>
        line.type === 'turn_started' ? line.transcriptHash : null,
      );
    expect(hashes('one')).toEqual(hashes('two'));
    const other = temporaryFolder();
    await trace(serviceIn(other).service, 'one');
    const elsewhere = linesOf(join(other, 'traces', 'one.jsonl'));
    expect(
      elsewhere.map((line) => (line.type === 'turn_started' ? line.transcriptHash : null)),
    ).not.toEqual(hashes('one'));
  });

  it('writes nothing when traces are off, unless the person names a file', async () => {
    const folder = temporaryFolder();
    const { service } = serviceIn(folder, { enabled: false, content: 'hash' });
    await trace(service, 'run');
    await (await service.openFile(null, { runId: 'run', ...before })).close();
    expect(existsSync(join(folder, 'traces'))).toBe(false);
    const path = join(folder, 'mine', 'trace.jsonl');
    const opened = await service.openFile(path, { runId: 'run', ...before });
    for (const event of await eventfulRun()) opened.write(event);
    await opened.close();
    expect(linesOf(path).at(-1)?.type).toBe('run_completed');
  });

  it.each(['../escape', 'a/b', '', 'x'.repeat(101), '.', 'con:1'])(
    'refuses the run id %j and reports it',
    async (runId) => {
      const { service, problems } = serviceIn(temporaryFolder());
      await trace(service, runId);
      expect(problems).toMatchObject([{ code: 'bad_run_id' }]);
    },
  );

  it('reports a key that cannot be used and lets the run go on', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'trace.key'), 'short');
    const { service, problems } = serviceIn(folder);
    await trace(service, 'run');
    expect(problems).toMatchObject([{ code: 'unreadable' }]);
    expect(existsSync(join(folder, 'traces'))).toBe(false);
  });

  it('needs no key for full traces', async () => {
    const folder = temporaryFolder();
    const { service } = serviceIn(folder, { enabled: true, content: 'full' });
    await trace(service, 'run');
    expect(existsSync(join(folder, 'trace.key'))).toBe(false);
  });
});

describe('installationKey', () => {
  it('is made once, of 32 bytes that only the owner may read', () => {
    const path = join(temporaryFolder(), 'deep', 'trace.key');
    const key = installationKey(path);
    expect(key).toHaveLength(32);
    expect(Buffer.from(installationKey(path)).equals(Buffer.from(key))).toBe(true);
    expect(Buffer.from(key).equals(readFileSync(path))).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(installationKey(`${path}2`)).equals(Buffer.from(key))).toBe(false);
  });

  it('is refused when its place is taken by something else', () => {
    const path = join(temporaryFolder(), 'trace.key');
    mkdirSync(path);
    expect(() => installationKey(path)).toThrow(expect.objectContaining({ code: 'unreadable' }));
    expect(() => installationKey(join(path, '..', 'x\0y'))).toThrow();
  });
});
