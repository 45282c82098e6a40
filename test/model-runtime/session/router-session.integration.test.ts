import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProfileId } from '../../../contracts/profiles.ts';
import type { RouteRequest } from '../../../contracts/route.ts';
import type { RequestContext } from '../../../model-runtime/process/process-server.ts';
import { RuntimeError } from '../../../model-runtime/runtime-error.ts';
import type { RouterSession } from '../../../model-runtime/session/router-session.ts';
import { openCheckpointSession } from '../../fixtures/checkpoint-session.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';

let folder: string;
let checkpoint: Checkpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-session-'));
  checkpoint = await writeQwen3Checkpoint(join(folder, 'small'), smallShape, 3);
});
afterAll(() => rm(folder, { recursive: true }));

/** Text of n tokens under the character tokenizer, `user: ` included, that does not repeat itself. */
function text(tokens: number, seed = 0): string {
  return Array.from({ length: tokens - 6 }, (_, i) =>
    String.fromCharCode(97 + ((i * i * 7 + i * 3 + seed) % 150)),
  ).join('');
}

function request(content: string, over: Partial<RouteRequest> = {}): RouteRequest {
  return {
    messages: [{ role: 'user', content }],
    windowTokens: null,
    messageCharacters: null,
    ...over,
  };
}

function context(over: Partial<RequestContext> = {}): RequestContext {
  return {
    signal: new AbortController().signal,
    report: () => undefined,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    ...over,
  };
}

async function logitsOf(session: RouterSession, asked: RouteRequest) {
  const { agentLogits, roleLogits, reusedTokens } = await session.route(asked, context());
  return { logits: [...agentLogits, ...roleLogits], reusedTokens };
}

/** Lengths at which kernels change, and some between; the long lane has them all. */
const splits = [
  7, 8, 33, 34, 35, 63, 64, 65, 66, 97, 98, 127, 128, 129, 130, 162, 193, 194, 199, 200,
];

async function expectEqualAtSplits(session: RouterSession, points: readonly number[]) {
  const whole = text(200);
  const cold = await logitsOf(session, request(whole));
  for (const split of points) {
    const cacheKey = `split ${split}`;
    await logitsOf(session, request(whole.slice(0, split - 6), { cacheKey }));
    const warm = await logitsOf(session, request(whole, { cacheKey }));
    expect(warm.logits, `split at ${split}`).toEqual(cold.logits);
    const known = Math.min(split - 1, 197);
    if (split > 10) expect(warm.reusedTokens).toBe(known - (known % 2));
  }
}

describe('a router session', () => {
  for (const profile of ['cpu-f32', 'cpu-8bit', 'cpu-int8'] satisfies ProfileId[]) {
    it(`gives the same bits with and without its prefix cache: ${profile}`, async () => {
      const { session } = await openCheckpointSession(checkpoint, { profile });
      await expectEqualAtSplits(session, splits);
      await session.close();
    });
  }

  it('gives the same bits with and without its prefix cache: hidden 1024', async () => {
    const wide = await writeQwen3Checkpoint(join(folder, 'wide'), {
      ...smallShape,
      hiddenSize: 1024,
      layers: 2,
      queryHeads: 2,
      keyValueHeads: 1,
      headDim: 64,
      feedForwardSize: 128,
    });
    const { session } = await openCheckpointSession(wide);
    await expectEqualAtSplits(session, [7, 64, 65, 66, 129, 193, 199]);
    await session.close();
  });

  it('gives the same bits twice, and on one thread', async () => {
    const first = await openCheckpointSession(checkpoint);
    const second = await openCheckpointSession(checkpoint, { threads: 1 });
    const asked = request(text(150));
    const { logits } = await logitsOf(first.session, asked);
    expect((await logitsOf(first.session, asked)).logits).toEqual(logits);
    expect((await logitsOf(second.session, asked)).logits).toEqual(logits);
    await first.session.close();
    await second.session.close();
  });

  it('is right when the next transcript is shorter, equal, other, or a single token', async () => {
    const { session } = await openCheckpointSession(checkpoint);
    const cacheKey = 'conversation';
    const long = text(140);
    for (const content of [
      long,
      long,
      long.slice(0, 50),
      `${long.slice(0, 70)}${text(60, 5)}`,
      '',
      long.slice(0, 1),
      text(200, 9),
      long,
    ]) {
      const cold = await logitsOf(session, request(content));
      const warm = await logitsOf(session, request(content, { cacheKey }));
      expect(warm.logits).toEqual(cold.logits);
    }
    await session.close();
  });

  it('reads the second-to-last token: the last one changes nothing', async () => {
    const { session } = await openCheckpointSession(checkpoint);
    const one = await session.route(request(`${text(80)}a`), context());
    const other = await session.route(request(`${text(80)}b`), context());
    expect(other.agentLogits).toEqual(one.agentLogits);
    expect(one).toMatchObject({ tokenCount: 81, hiddenIndex: 79, profile: 'cpu-f32' });
    expect(other.routedHash).not.toBe(one.routedHash);
    await session.close();
  });

  it('neither reads nor writes the cache without a key, and writes none when it may only read', async () => {
    const { session, cache } = await openCheckpointSession(checkpoint);
    await logitsOf(session, request(text(100)));
    expect(cache.bytes).toBe(0);
    await logitsOf(session, request(text(100), { cacheKey: 'k', cache: 'read' }));
    expect(cache.bytes).toBe(0);
    await logitsOf(session, request(text(100), { cacheKey: 'k' }));
    const { bytes } = cache;
    expect(bytes).toBeGreaterThan(0);
    const whatIf = request(`${text(100)}xyz`, { cacheKey: 'k', cache: 'read' });
    expect((await logitsOf(session, whatIf)).reusedTokens).toBe(98);
    expect(cache.bytes).toBe(bytes);
    expect((await logitsOf(session, request(text(100), { cacheKey: 'other' }))).reusedTokens).toBe(
      0,
    );
    await session.close();
  });

  it('reports progress, stops between chunks and keeps what was run', async () => {
    const { session } = await openCheckpointSession(checkpoint);
    const asked = request(text(600), { cacheKey: 'k' });
    const controller = new AbortController();
    const seen: [number, number][] = [];
    const report = (done: number, total: number): void => {
      seen.push([done, total]);
      if (done >= 256) controller.abort();
    };
    const stopped = session.route(asked, context({ signal: controller.signal, report }));
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(seen).toEqual([
      [128, 599],
      [256, 599],
    ]);
    const cold = await logitsOf(session, request(text(600)));
    const resumed = await logitsOf(session, asked);
    expect(resumed).toEqual({ logits: cold.logits, reusedTokens: 256 });
    await session.close();
  });

  it('uses a state larger than its cache for its own run and does not keep it', async () => {
    const { session, cache } = await openCheckpointSession(checkpoint, { cacheBytes: 50_000 });
    const cold = await logitsOf(session, request(text(300)));
    const warm = await logitsOf(session, request(text(300), { cacheKey: 'k' }));
    expect(warm.logits).toEqual(cold.logits);
    expect(cache.bytes).toBe(0);
    await session.close();
  });

  it('cuts to the window and says so', async () => {
    const { session } = await openCheckpointSession(checkpoint);
    const messages = Array.from({ length: 20 }, (_, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: text(100, i),
    }));
    const asked = { messages, windowTokens: 512, messageCharacters: 16_000 };
    const routed = await session.route(asked, context());
    expect(routed.tokenCount).toBeLessThanOrEqual(512);
    expect(routed.window.limit).toBe(512);
    expect(routed.window.omitted).toBeGreaterThan(10);
    await session.close();
  });

  it('refuses what it cannot read with a typed error', async () => {
    const { session } = await openCheckpointSession(checkpoint);
    const codeOf = (asked: RouteRequest): Promise<string> =>
      session.route(asked, context()).then(
        () => 'answered',
        (error: unknown) => (error instanceof RuntimeError ? error.code : String(error)),
      );
    expect(await codeOf({ ...request(''), messages: [] })).toBe('invalid_request');
    expect(await codeOf(request('x'.repeat(100_001)))).toBe('too_long');
    expect(await codeOf(request('x'.repeat(5_000)))).toBe('too_long');
    expect(await codeOf(request('x'.repeat(100_001), { messageCharacters: 300 }))).toBe('answered');
    await session.close();
  });
});
