import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReplayedRoute } from '../../../coordinator/replay.ts';
import { replayTrace } from '../../../main/traces/replay.ts';
import { ScriptedRouter, logitsFor } from '../../coordinator/scripted-run.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { eventfulRun, writeTrace } from './traced-run.ts';

async function replay(path: string, router: ScriptedRouter): Promise<ReplayedRoute[]> {
  const routes: ReplayedRoute[] = [];
  for await (const route of replayTrace(path, router, new AbortController().signal)) {
    routes.push(route);
  }
  return routes;
}

describe('replayTrace', () => {
  it('routes the transcripts of a full trace again', async () => {
    const original = new ScriptedRouter([logitsFor(1, 'Worker'), logitsFor(1, 'Verifier')]);
    const events = await eventfulRun({ router: original });
    const { writer } = await writeTrace(temporaryFolder(), events, { content: 'full' });
    const again = new ScriptedRouter([logitsFor(1, 'Worker'), logitsFor(1, 'Verifier')]);
    const routes = await replay(writer.path, again);
    expect(again.requests.map(({ messages }) => messages)).toEqual(
      original.requests.map(({ messages }) => messages),
    );
    expect(routes.every((route) => route.sameTranscript && route.logitDifference === 0)).toBe(true);
    expect(again.requests.every(({ cacheKey }) => cacheKey === undefined)).toBe(true);
  });

  it('says that a trace of hashes has nothing to route', async () => {
    const { writer } = await writeTrace(temporaryFolder(), await eventfulRun());
    await expect(replay(writer.path, new ScriptedRouter([]))).rejects.toMatchObject({
      code: 'no_text',
    });
  });

  it('refuses a file that is no trace', async () => {
    const path = join(temporaryFolder(), 'x');
    writeFileSync(path, '');
    await expect(replay(path, new ScriptedRouter([]))).rejects.toMatchObject({
      code: 'not_a_trace',
    });
  });
});
