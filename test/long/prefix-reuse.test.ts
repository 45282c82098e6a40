import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouteRequest } from '../../contracts/route.ts';
import { openCheckpointSession } from '../fixtures/checkpoint-session.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type CheckpointShape,
} from '../fixtures/checkpoints/qwen3-checkpoint.ts';

const wideShape: CheckpointShape = {
  ...smallShape,
  hiddenSize: 1024,
  layers: 2,
  queryHeads: 8,
  keyValueHeads: 4,
  headDim: 128,
  feedForwardSize: 1024,
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-reuse-'));
});
afterAll(() => rm(folder, { recursive: true }));

const context = {
  signal: new AbortController().signal,
  report: () => undefined,
  breathe: () => Promise.resolve(),
};
/** 200 tokens under the character tokenizer, `user: ` included. */
const whole = Array.from({ length: 194 }, (_, i) => String.fromCharCode(97 + ((i * i * 7) % 150)));

function request(tokens: number, cacheKey?: string): RouteRequest {
  const content = whole.slice(0, Math.max(0, tokens - 6)).join('');
  return {
    messages: [{ role: 'user', content }],
    windowTokens: null,
    messageCharacters: null,
    ...(cacheKey !== undefined && { cacheKey }),
  };
}

describe('prefix reuse, at every split point of 200 tokens', () => {
  for (const [name, shape] of [
    ['hidden 64', smallShape],
    ['hidden 1024', wideShape],
  ] as const) {
    for (const profile of ['cpu-f32', 'cpu-8bit', 'cpu-int8'] as const) {
      it(`changes no bit: ${name}, ${profile}`, async () => {
        const checkpoint = await writeQwen3Checkpoint(join(folder, `${name} ${profile}`), shape, 5);
        const { session } = await openCheckpointSession(checkpoint, { profile });
        const cold = await session.route(request(200), context);
        for (let split = 6; split <= 200; split += 1) {
          const key = `split ${split}`;
          await session.route(request(split, key), context);
          const warm = await session.route(request(200, key), context);
          expect(warm.agentLogits, key).toEqual(cold.agentLogits);
          expect(warm.roleLogits, key).toEqual(cold.roleLogits);
        }
        await session.close();
      });
    }
  }
});
