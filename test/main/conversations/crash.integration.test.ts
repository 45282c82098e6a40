import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { countedTo, streamingProgram } from './killed-program.ts';
import { openService } from './open-service.ts';

describe('a program that is killed while a run streams', () => {
  it('leaves a whole database and the run with its partial text, marked stopped', async () => {
    const dataDirectory = temporaryFolder();
    const program = await streamingProgram(dataDirectory, 3);

    // Beside it, as a terminal command would be: its run is left alone.
    const beside = openService({ dataDirectory });
    const list = await beside.service.list({ query: '', before: null, limit: 10 });
    const [summary] = list.conversations;
    const id = summary?.id ?? '';
    expect(beside.service.runs.read(id).runs[0]).toMatchObject({ status: 'running' });
    expect(beside.service.notices).toEqual([]);
    expect(() => beside.service.runs.start(id, 'more', {})).toThrow(
      expect.objectContaining({ code: 'run_in_progress' }),
    );
    await expect(beside.service.runs.remove(id)).rejects.toMatchObject({ code: 'run_in_progress' });
    await beside.service.close();

    await program.kill();
    const { service, loop } = openService({ dataDirectory });
    const database = new DatabaseSync(join(dataDirectory, 'trinity.sqlite'));
    expect(
      database
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([{ integrity_check: 'ok' }]);
    database.close();
    expect(service.notices).toEqual([expect.objectContaining({ code: 'runs_abandoned' })]);
    const conversation = service.runs.read(id);
    const [run] = conversation.runs;
    expect(conversation.liveRunId).toBe(null);
    expect(run).toMatchObject({ status: 'stopped', answer: null, turns: [{ complete: false }] });
    // Two lines of numbers were printed, and the last of them had a second line's time to be stored.
    expect(countedTo(run?.turns[0]?.text ?? '')).toBeGreaterThan(5000);

    const seqs: number[] = [];
    const stream = service.runs.attach(run?.id ?? '', 0);
    for await (const message of stream) {
      if (message.kind === 'opened') {
        service.runs.acknowledge(message.streamId, Number.MAX_SAFE_INTEGER);
      } else seqs.push(...message.events.map((event) => event.seq));
    }
    expect(seqs).toEqual(Array.from({ length: (run?.lastSeq ?? 0) + 1 }, (_, seq) => seq));

    service.runs.start(id, 'more', {});
    expect(loop.last.start.earlier).toEqual([{ task: 'Count.', answer: null }]);
  });
});

describe('a program beside one that is killed', () => {
  it('finds its run stopped, and goes on with the conversation', async () => {
    const dataDirectory = temporaryFolder();
    const program = await streamingProgram(dataDirectory, 1);
    const { service, loop } = openService({ dataDirectory });
    const list = await service.list({ query: '', before: null, limit: 10 });
    const id = list.conversations[0]?.id ?? '';
    expect(service.runs.read(id).liveRunId).not.toBe(null);
    await program.kill();
    service.runs.start(id, 'more', {});
    expect(loop.runs).toHaveLength(1);
    expect(service.runs.read(id).runs.map(({ status }) => status)).toEqual(['stopped', 'running']);
  });
});

describe('the files of a data directory', () => {
  it('are for their owner only, and a closed program leaves no lock', async () => {
    const dataDirectory = temporaryFolder();
    const { service } = openService({ dataDirectory });
    service.create();
    for (const name of readdirSync(dataDirectory, { recursive: true, encoding: 'utf8' })) {
      const stat = statSync(join(dataDirectory, name));
      expect([name, stat.mode & 0o077]).toEqual([name, 0]);
    }
    await service.close();
    expect(readdirSync(join(dataDirectory, 'owners'))).toEqual([]);
  });
});
