import fc from 'fast-check';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readNpy } from '../../model-runtime/weights/npy.ts';
import { readQwen3Config } from '../../model-runtime/weights/qwen3-config.ts';
import { SafetensorsFile } from '../../model-runtime/weights/safetensors-file.ts';
import { WeightsError } from '../../model-runtime/weights/weights-error.ts';
import { smallShape, writeQwen3Checkpoint } from '../fixtures/checkpoints/qwen3-checkpoint.ts';
import { longSeed, scaled } from './scale.ts';

let folder: string;
let path: string;
const intact: Record<string, Uint8Array> = {};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-fuzz-'));
  path = join(folder, 'damaged');
  const shape = { ...smallShape, layers: 1, vocabSize: 20 };
  const checkpoint = await writeQwen3Checkpoint(join(folder, 'base'), shape);
  intact['safetensors'] = await readFile(join(checkpoint.folder, 'model.safetensors'));
  intact['config'] = await readFile(join(checkpoint.folder, 'config.json'));
  const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n";
  const prefix = Buffer.from([0x93, ...Buffer.from('NUMPY'), 1, 0, header.length, 0]);
  intact['npy'] = Buffer.concat([prefix, Buffer.from(header), Buffer.alloc(48)]);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const readers: Record<string, () => Promise<unknown>> = {
  // Read whole: what a header lets through must be there to be read.
  safetensors: async () => {
    const file = await SafetensorsFile.open(path);
    try {
      for (const name of file.tensors.keys()) await file.read(name);
    } finally {
      await file.close();
    }
  },
  config: () => readQwen3Config(path),
  npy: () => readNpy(path),
};

/** Bytes changed, cut out, put in, doubled: near the start, where headers are, more often than not. */
const edit = fc.record({
  at: fc.oneof(fc.nat(400), fc.nat(3000), fc.nat()),
  remove: fc.nat(12),
  insert: fc.uint8Array({ maxLength: 12 }),
  repeat: fc.constantFrom(1, 1, 1, 2, 50),
});

describe('a damaged weight file', () => {
  for (const kind of Object.keys(readers)) {
    it(`reads or is refused with a typed error that names it: ${kind}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 8 }), async (edits) => {
          let bytes = Buffer.from(intact[kind]!);
          for (const { at, remove, insert, repeat } of edits) {
            const start = at % (bytes.length + 1);
            const inserted = Array.from({ length: repeat }, () => Buffer.from(insert));
            const rest = bytes.subarray(start + remove);
            bytes = Buffer.concat([bytes.subarray(0, start), ...inserted, rest]);
          }
          await writeFile(path, bytes);
          const outcome = await readers[kind]!().catch((error: unknown) => error);
          if (!(outcome instanceof Error)) return;
          expect(outcome).toBeInstanceOf(WeightsError);
          expect(outcome.message).toContain(path);
        }),
        { numRuns: scaled(20_000), seed: longSeed() },
      );
    });
  }
});
