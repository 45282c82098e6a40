import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { openService, settled } from './open-service.ts';

describe('two programs over one data directory', () => {
  it('see each other’s conversations, and one can follow a run that the other drives', async () => {
    const dataDirectory = temporaryFolder();
    const driving = openService({ dataDirectory });
    const watching = openService({ dataDirectory });
    const { id } = driving.service.create();
    const { runId } = driving.service.runs.start(id, 'task', {});
    driving.loop.last.begin();
    driving.loop.last.say('Fo', 'ur');
    await settled();
    driving.clock.advance(150);

    const seqs: number[] = [];
    let text = '';
    const followed = (async () => {
      for await (const message of watching.service.runs.attach(runId, 0)) {
        if (message.kind === 'opened') continue;
        for (const event of message.events) {
          seqs.push(event.seq);
          if (event.type === 'delta') text += event.text;
        }
      }
    })();
    await settled();
    expect(text).toBe('Four');
    expect(() => watching.service.runs.stop(runId)).toThrow(
      expect.objectContaining({ code: 'run_in_progress' }),
    );

    driving.loop.last.say(' and more');
    driving.service.runs.stop(runId);
    await settled();
    watching.clock.advance(300);
    await followed;
    expect(text).toBe('Four and more');
    expect(seqs).toEqual(seqs.map((_, at) => at));
    expect(watching.service.runs.read(id).runs).toEqual(driving.service.runs.read(id).runs);
    watching.service.runs.stop(runId);
  });

  it('a copy of a conversation in another database is the same, and can be made again', async () => {
    const memory = openService();
    const kept = openService({ dataDirectory: temporaryFolder() });
    const { id } = memory.service.create();
    memory.service.conversations.setSystemPrompt(id, 'Be brief.');
    for (let run = 1; run <= 2; run += 1) {
      const { runId } = memory.service.runs.start(id, `task ${run}`, {});
      memory.loop.last.begin();
      memory.loop.last.say(...Array.from({ length: 700 }, (_, at) => `${at} `));
      await settled();
      memory.service.runs.stop(runId);
      await settled();
      memory.service.copyTo(kept.service, id);
    }
    const { runs, systemPrompt, title } = memory.service.runs.read(id);
    expect(kept.service.runs.read(id)).toMatchObject({ runs, systemPrompt, title });
    expect(kept.service.runs.read(id).runs).toHaveLength(2);
    const found = await kept.service.list({ query: 'task', before: null, limit: 10 });
    expect(found.conversations).toMatchObject([{ id }]);
  });
});
