import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  smallShape,
  writeQwen3Checkpoint,
  type Checkpoint,
} from '../../fixtures/checkpoints/qwen3-checkpoint.ts';
import { relativeDistance } from '../../fixtures/qwen3-reference.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { hasSwiftShader, swiftShaderEnvironment } from '../../fixtures/swiftshader.ts';
import { openGraph, someIds } from './graph-session.ts';

let folder: string;
let checkpoint: Checkpoint;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-webgpu-'));
  checkpoint = await writeQwen3Checkpoint(join(folder, 'base'), smallShape, 11);
  Object.assign(process.env, await swiftShaderEnvironment(folder));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const available = skipUnless(
  hasSwiftShader,
  "WebGPU is checked where libvulkan1 and Chromium's SwiftShader (chromium-common) are installed",
);

available.describe('the graph for WebGPU', () => {
  for (const headNorm of ['separate', 'attention'] as const) {
    // Runs stay below 32 tokens: from there on ONNX Runtime takes an attention kernel that is wrong on
    // SwiftShader (docs/decisions/0014).
    available.it(`agrees with the CPU within 1e-4, ${headNorm} norms of heads`, async () => {
      const ids = someIds(checkpoint, 50);
      const cpu = await openGraph(checkpoint);
      const expected = await cpu.run(ids);
      await cpu.close();
      const forGpu = { headNorm, product: 'plain' } as const;
      const gpu = await openGraph(checkpoint, forGpu, undefined, {
        executionProviders: ['webgpu'],
      });
      const first = await gpu.run(ids.slice(0, 31));
      const { hidden, logits } = await gpu.run(ids.slice(31), first.past);
      await gpu.close();
      expect(relativeDistance(hidden, expected.hidden)).toBeLessThanOrEqual(1e-4);
      expect(relativeDistance(logits, expected.logits)).toBeLessThanOrEqual(1e-4);
    });
  }
});
