import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  headTensor,
  offsetsL1,
  readRouterVector,
  splitVector,
} from '../../../model-runtime/adaptation/vector.ts';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { skipUnless } from '../../fixtures/skip.ts';

const published = '../shared/data/trinity_router_es_vector.safetensors';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const folders: { path: string } = { path: '' };

beforeEach(async () => {
  folders.path = await mkdtemp(join(tmpdir(), 'trinity-vector-'));
});
afterEach(async () => {
  await rm(folders.path, { recursive: true });
});

async function safetensors(values: Float32Array, name = 'v'): Promise<string> {
  const path = join(folders.path, 'vector.safetensors');
  const tensor = { name, dtype: 'F32', shape: [values.length], data: bytesOf(values) } as const;
  await writeSafetensors(path, [tensor]);
  return path;
}

/** An npy file, written here by the format's description. */
async function npy(values: Float32Array | Float64Array, shape = `(${values.length},)`) {
  const descr = values instanceof Float32Array ? '<f4' : '<f8';
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  const header = text.padEnd(128 - 10 - 1) + '\n';
  const start = Buffer.from([
    0x93,
    ...Buffer.from('NUMPY'),
    1,
    0,
    header.length & 255,
    header.length >> 8,
  ]);
  const path = join(folders.path, 'vector.npy');
  await writeFile(path, Buffer.concat([start, Buffer.from(header), bytesOf(values)]));
  return path;
}

skipUnless(existsSync(published), `${published} is absent`).describe('the published vector', () => {
  it('has the values and the hash of the reference', async () => {
    const { values, sha256: hash } = await readRouterVector(published);
    expect(values).toHaveLength(19_456);
    expect(hash).toBe('435cbcf83792d53eeb6e7475afe7750ce9924e4466f989f18708187d4a59fd22');
    const { offsets, head } = splitVector(await readRouterVector(published), 9216, [10, 1024]);
    expect(sha256(bytesOf(head))).toBe(
      '1897dfc218680a0bbdbd095c25857931f1c4842de81611574ea8bcc6a20342c3',
    );
    expect(Math.min(...offsets)).toBeCloseTo(-0.337, 3);
    expect(Math.max(...offsets)).toBeCloseTo(0.434, 3);
    const rms = Math.sqrt(offsets.reduce((sum, d) => sum + d * d, 0) / offsets.length);
    expect(rms).toBeCloseTo(0.097, 3);
    for (let row = 0; row < 10; row++) {
      const norm = Math.hypot(...head.subarray(row * 1024, (row + 1) * 1024));
      expect(norm).toBeGreaterThan(3.01);
      expect(norm).toBeLessThan(3.24);
    }
  });

  it('gives the head file of the published bundle, byte for byte', async () => {
    const { head } = splitVector(await readRouterVector(published), 9216, [10, 1024]);
    const path = join(folders.path, 'router_head.safetensors');
    await writeSafetensors(path, [headTensor(head, [10, 1024])], { headerAlignment: 1 });
    const bytes = await readFile(path);
    expect(bytes.byteLength).toBe(41_050);
    expect(sha256(bytes)).toBe('7ff2db0e6659cac4dd68c5fff47a112768042b31321127aeb1412a6d8e6c09be');
  });
});

describe('a router vector', () => {
  const values = Float32Array.from({ length: 12 }, (_, i) => Math.fround(0.1 * i - 0.3));

  it('is the same, hash included, from safetensors and from npy in f32 and f64', async () => {
    const expected = await readRouterVector(await safetensors(values));
    expect(expected.values).toEqual(values);
    expect(expected.sha256).toBe(sha256(bytesOf(values)));
    expect(await readRouterVector(await npy(values))).toEqual(expected);
    expect(await readRouterVector(await npy(Float64Array.from(values)))).toEqual(expected);
  });

  it('splits into offsets first and the head after them', async () => {
    const vector = await readRouterVector(await safetensors(values));
    const { offsets, head } = splitVector(vector, 4, [4, 2]);
    expect(offsets).toEqual(values.subarray(0, 4));
    expect(head).toEqual(values.subarray(4));
  });

  it('of the wrong length is refused with the arithmetic', async () => {
    const vector = await readRouterVector(await safetensors(values));
    expect(() => splitVector(vector, 5, [4, 2])).toThrowError(
      expect.objectContaining({
        code: 'vector_length',
        message: expect.stringMatching(/12 values.*needs 13: 5 offsets.*head of 4 x 2/),
      }),
    );
  });

  it.each([Number.NaN, -Infinity])('holding %f is refused by index', async (bad) => {
    const broken = values.slice();
    broken[7] = bad;
    const expected = expect.objectContaining({
      code: 'non_finite',
      message: expect.stringContaining('value 7'),
    });
    await expect(readRouterVector(await safetensors(broken))).rejects.toThrowError(expected);
    await expect(readRouterVector(await npy(broken))).rejects.toThrowError(expected);
  });

  it('that is a file of another kind is told so, whatever its first bytes would mean', async () => {
    const path = join(folders.path, 'vector.json');
    for (const text of [
      '{"cases": [1, 2, 3]}',
      '0123456789',
      'PK\u0003\u0004 and a whole archive',
    ]) {
      await writeFile(path, text);
      await expect(readRouterVector(path)).rejects.toMatchObject({
        code: 'vector_format',
        message: expect.stringContaining(`${path} is neither a safetensors nor an npy file`),
      });
    }
  });

  it('that is a matrix, or one of several tensors, is refused', async () => {
    const refused = expect.objectContaining({ code: 'vector_format' });
    await expect(readRouterVector(await npy(values, '(3, 4)'))).rejects.toThrowError(refused);
    const path = join(folders.path, 'two.safetensors');
    const tensor = { dtype: 'F32', shape: [12], data: bytesOf(values) } as const;
    await writeSafetensors(path, [
      { name: 'a', ...tensor },
      { name: 'b', ...tensor },
    ]);
    await expect(readRouterVector(path)).rejects.toThrowError(refused);
  });

  it('cut short is refused', async () => {
    const path = await safetensors(values);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.byteLength - 5));
    await expect(readRouterVector(path)).rejects.toThrowError(
      expect.objectContaining({ code: 'truncated' }),
    );
  });

  it('is measured by the sum of the sizes of its offsets', () => {
    expect(offsetsL1(Float32Array.of(0.5, -0.25, 0))).toBe(0.75);
  });
});
