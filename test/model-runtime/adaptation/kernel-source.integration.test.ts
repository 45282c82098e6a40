import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { kernelBase64, kernelSha256 } from '../../../model-runtime/adaptation/kernel/module.ts';
import { compileKernel, moduleText } from '../../../scripts/build-kernel.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it('the kernel in the repository is what its source compiles to', async () => {
  const compiled = await compileKernel();
  expect(sha256(compiled)).toBe(kernelSha256);
  expect(sha256(Buffer.from(kernelBase64, 'base64'))).toBe(kernelSha256);
  const module = new URL('../../../model-runtime/adaptation/kernel/module.ts', import.meta.url);
  expect(readFileSync(module, 'utf8')).toBe(moduleText(compiled));
});
