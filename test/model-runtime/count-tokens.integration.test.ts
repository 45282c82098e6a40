import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createForkLauncher } from '../../main/hosts/fork-launcher.ts';
import { createSystemClock } from '../../main/hosts/system-clock.ts';
import { createRouterClient, type RouterClient } from '../../model-runtime/client.ts';
import reference from '../fixtures/tokenizer-ids.json' with { type: 'json' };

let folder = '';
let client: RouterClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-count-'));
  client = createRouterClient({
    launcher: createForkLauncher({ env: process.env }),
    clock: createSystemClock(),
    routersDirectory: join(folder, 'routers'),
    baseFolders: [],
    cacheDirectory: null,
  });
  await client.select('demo', 'cpu-f32');
});
afterAll(async () => {
  await client.close();
  await rm(folder, { recursive: true });
});

describe('counting tokens through the client', () => {
  it('gives the counts of the reference tokenizer', async () => {
    const cases = reference.cases.slice(0, 30);
    const counts = await client.countTokens(cases.map(({ text }) => text));
    expect(counts).toEqual(cases.map(({ ids }) => ids.length));
  });

  it('waits for no one whose signal has aborted', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(client.countTokens(['x'], stop.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});
