import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { countedTo, streamingProgram } from '../main/conversations/killed-program.ts';
import { openService } from '../main/conversations/open-service.ts';
import { longSeed, scaled, seededUniform } from './scale.ts';

it('forty programs killed while they stream leave a whole database and every run they began', async () => {
  const kills = scaled(40);
  const uniform = seededUniform(longSeed());
  const dataDirectory = temporaryFolder();
  for (let kill = 1; kill <= kills; kill += 1) {
    const program = await streamingProgram(dataDirectory, 1 + Math.floor(uniform() * 2));
    await pause(uniform() * 300);
    await program.kill();

    const { service } = openService({ dataDirectory });
    const { conversations } = await service.list({ query: '', before: null, limit: 200 });
    expect(conversations).toHaveLength(kill);
    const [run] = service.runs.read(conversations[0]?.id ?? '').runs;
    expect(run?.status).toBe('stopped');
    const [turn] = run?.turns ?? [];
    if (turn !== undefined && turn.text !== '') countedTo(turn.text);
    await service.close();
    const database = new DatabaseSync(join(dataDirectory, 'trinity.sqlite'));
    expect(database.prepare('PRAGMA integrity_check').get()).toMatchObject({
      integrity_check: 'ok',
    });
    database.close();
  }
});

it('a run of a million pieces is followed by a keen and a stalled window in bounded memory', async () => {
  const { service, loop, clock } = openService({ dataDirectory: temporaryFolder() });
  const { id } = service.create();
  const { runId } = service.runs.start(id, 'task', {});
  loop.last.begin();
  const stalled = service.runs.attach(runId, 0);
  await stalled.next();
  await stalled.next();
  const keen = service.runs.attach(runId, 0);
  const opened = await keen.next();
  const streamId = opened.value?.kind === 'opened' ? opened.value.streamId : '';
  const pieces = scaled(1_000_000);
  let highest = 0;
  let said = 0;
  let taken = 0;
  while (said < pieces) {
    const some = Math.min(1000, pieces - said);
    loop.last.say(...Array.from({ length: some }, (_, at) => `${said + at} `));
    said += some;
    clock.advance(150);
    while (taken < said) {
      const { value } = await keen.next();
      if (value?.kind !== 'events') throw new Error('the keen stream ended');
      for (const event of value.events) {
        if (event.type !== 'delta') continue;
        if (event.text !== `${taken} `) throw new Error(`${event.text} came instead of ${taken}`);
        taken += 1;
      }
      service.runs.acknowledge(streamId, value.events.at(-1)?.seq ?? -1);
    }
    if (said % 100_000 === 0) {
      globalThis.gc?.();
      highest = Math.max(highest, process.memoryUsage().heapUsed);
    }
  }
  // The text itself is about 7 MB; a million events kept as objects would be hundreds.
  expect(highest).toBeLessThan(250 * 2 ** 20);
  service.runs.stop(runId);
});
