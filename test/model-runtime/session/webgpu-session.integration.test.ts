import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { argmax } from '../../../contracts/logits.ts';
import type { RouterSession } from '../../../model-runtime/session/router-session.ts';
import { openCheckpointSession } from '../../fixtures/checkpoint-session.ts';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';
import { relativeDistance } from '../../fixtures/qwen3-reference.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { hasSwiftShader, swiftShaderEnvironment } from '../../fixtures/swiftshader.ts';

const available = skipUnless(
  hasSwiftShader,
  "WebGPU is checked where libvulkan1 and Chromium's SwiftShader (chromium-common) are installed",
);

available.describe('the WebGPU profile', () => {
  let folder: string;
  let checkpoint: Checkpoint;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trinity-webgpu-session-'));
    checkpoint = await writeQwen3Checkpoint(join(folder, 'base'), { ...smallShape, layers: 2 }, 5);
    Object.assign(process.env, await swiftShaderEnvironment(folder));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  available.it('decides like the CPU within 1e-4, with and without its prefix cache', async () => {
    const text = Array.from({ length: 70 }, (_, i) => String.fromCharCode(97 + ((i * 7) % 26)));
    const cpu = await openCheckpointSession(checkpoint);
    const expected = await logitsOf(cpu.session, text.join(''));
    await cpu.session.close();
    const gpu = await openCheckpointSession(checkpoint, { profile: 'webgpu' });
    const cold = await logitsOf(gpu.session, text.join(''));
    await logitsOf(gpu.session, text.slice(0, 40).join(''), 'conversation');
    const warm = await logitsOf(gpu.session, text.join(''), 'conversation');
    await gpu.session.close();
    for (const logits of [cold, warm]) {
      expect(relativeDistance(logits, expected)).toBeLessThanOrEqual(1e-4);
      expect(argmax(logits.slice(0, 7))).toBe(argmax(expected.slice(0, 7)));
    }
  });
});

async function logitsOf(
  session: RouterSession,
  content: string,
  cacheKey?: string,
): Promise<number[]> {
  const request = {
    messages: [{ role: 'user' as const, content }],
    windowTokens: null,
    messageCharacters: null,
    ...(cacheKey !== undefined && { cacheKey, cache: 'readwrite' as const }),
  };
  const { agentLogits, roleLogits } = await session.route(request, {
    signal: new AbortController().signal,
    report: () => undefined,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
  });
  return [...agentLogits, ...roleLogits];
}
