import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SafetensorsFile } from '../../../model-runtime/weights/safetensors-file.ts';
import { safetensorsBytes } from '../../fixtures/safetensors-bytes.ts';
import { skipUnless } from '../../fixtures/skip.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-safetensors-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const header = JSON.stringify({
  m: { dtype: 'BF16', shape: [4, 3], data_offsets: [0, 24] },
  f: { dtype: 'F32', shape: [2], data_offsets: [24, 32] },
  u: { dtype: 'U8', shape: [3], data_offsets: [32, 35] },
});

describe('an open safetensors file', () => {
  it('reads a tensor, a range of rows and a matrix in chunks', async () => {
    const file = await SafetensorsFile.open(await write('plain.safetensors', header, numbered(35)));
    expect([...(await file.read('u'))]).toEqual([32, 33, 34]);
    expect([...(await file.readRows('m', 1, 2))]).toEqual(numbered(35).slice(6, 18));
    expect(await file.readRows('m', 4, 0)).toHaveLength(0);
    const chunks = [];
    for await (const chunk of file.rowChunks('m', 3)) chunks.push(chunk);
    expect(chunks.map(({ firstRow, rows }) => [firstRow, rows])).toEqual([
      [0, 3],
      [3, 1],
    ]);
    expect(chunks.flatMap(({ bytes }) => [...bytes])).toEqual(numbered(24));
    await file.close();
  });

  it('gives bf16 and f32 tensors as f32 values', async () => {
    const data = Buffer.alloc(35);
    [1, -2, 0.5].forEach((value, i) => data.writeUInt16LE(upperHalf(value), i * 2));
    data.writeFloatLE(3.25, 24);
    const file = await SafetensorsFile.open(await write('values.safetensors', header, data));
    expect([...(await file.readF32('m')).slice(0, 4)]).toEqual([1, -2, 0.5, 0]);
    expect([...(await file.readF32('f', [2]))]).toEqual([3.25, 0]);
    await expect(file.readF32('u')).rejects.toMatchObject({ code: 'wrong_dtype' });
    await expect(file.readF32('f', [3])).rejects.toMatchObject({ code: 'wrong_shape' });
    await file.close();
  });

  it('refuses rows that are not there, rows of a vector and unknown tensors', async () => {
    const file = await SafetensorsFile.open(await write('rows.safetensors', header, numbered(35)));
    for (const [first, count] of [
      [3, 2],
      [-1, 1],
      [0.5, 1],
      [0, Number.NaN],
    ] as const) {
      await expect(file.readRows('m', first, count)).rejects.toMatchObject({
        code: 'out_of_range',
      });
    }
    await expect(file.readRows('f', 0, 1)).rejects.toMatchObject({ code: 'wrong_shape' });
    expect(() => file.entry('absent')).toThrow(expect.objectContaining({ code: 'missing_tensor' }));
    await file.close();
  });

  it('closes twice', async () => {
    const file = await SafetensorsFile.open(await write('twice.safetensors', header, numbered(35)));
    await file.close();
    await expect(file.close()).resolves.toBeUndefined();
  });

  it('opens under a name in any script, with spaces, and through a link', async () => {
    const home = join(folder, 'ключи 权重 🗝');
    await mkdir(home);
    const path = join(home, 'model ü.safetensors');
    await writeFile(path, safetensorsBytes(header, Uint8Array.from(numbered(35))));
    await symlink(path, join(folder, 'link.safetensors'));
    for (const name of [path, join(folder, 'link.safetensors')]) {
      const file = await SafetensorsFile.open(name);
      expect([...(await file.read('u'))]).toEqual([32, 33, 34]);
      await file.close();
    }
  });

  it('reads beyond 4 GiB', async () => {
    const rows = 3_000_000;
    const entry = { dtype: 'BF16', shape: [rows, 1024], data_offsets: [0, rows * 2048] };
    const path = await write('large.safetensors', JSON.stringify({ big: entry }), []);
    const { size } = await stat(path);
    // A sparse file: it takes a page on disk, not 6 GB.
    await truncate(path, size + rows * 2048);
    const handle = await open(path, 'r+');
    await handle.write(Uint8Array.of(7, 8), 0, 2, size + (rows - 1) * 2048);
    await handle.close();
    const file = await SafetensorsFile.open(path);
    expect([...(await file.readRows('big', rows - 1, 1)).subarray(0, 3)]).toEqual([7, 8, 0]);
    await expect(file.read('big')).rejects.toMatchObject({ code: 'too_large' });
    await file.close();
  });

  it('reports a file that is cut while it is open', async () => {
    const path = await write('cut.safetensors', header, numbered(35));
    const file = await SafetensorsFile.open(path);
    await truncate(path, file.bytes - 2);
    await expect(file.read('u')).rejects.toMatchObject({
      code: 'truncated',
      message: expect.stringContaining('cut.safetensors'),
    });
    await file.close();
  });
});

describe('a path that is no safetensors file', () => {
  it('is a typed error for what is absent, a folder, or too short', async () => {
    await expect(openFile('absent')).rejects.toMatchObject({ code: 'unreadable' });
    await expect(openFile('.')).rejects.toMatchObject({ code: 'not_a_file' });
    await writeFile(join(folder, 'short'), Uint8Array.of(1, 0, 0));
    await expect(openFile('short')).rejects.toMatchObject({ code: 'truncated' });
    await writeFile(join(folder, 'empty'), '');
    await expect(openFile('empty')).rejects.toMatchObject({ code: 'truncated' });
  });

  it('is refused by the length that its header claims', async () => {
    const claims = async (length: bigint): Promise<void> => {
      const bytes = new Uint8Array(64);
      new DataView(bytes.buffer).setBigUint64(0, length, true);
      await writeFile(join(folder, 'claims'), bytes);
    };
    await claims(2n ** 64n - 1n);
    await expect(openFile('claims')).rejects.toMatchObject({ code: 'too_large' });
    await claims(57n);
    await expect(openFile('claims')).rejects.toMatchObject({ code: 'truncated' });
    await claims(0n);
    await expect(openFile('claims')).rejects.toMatchObject({ code: 'malformed' });
  });

  skipUnless(process.platform !== 'win32', 'Windows has no named pipes in folders').it(
    'does not wait for a pipe',
    async () => {
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      await expect(openFile('pipe')).rejects.toMatchObject({ code: 'not_a_file' });
    },
  );
});

function openFile(name: string): Promise<SafetensorsFile> {
  return SafetensorsFile.open(join(folder, name));
}

async function write(name: string, json: string, data: ArrayLike<number>): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, safetensorsBytes(json, Uint8Array.from(data)));
  return path;
}

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function upperHalf(value: number): number {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes.readUInt16LE(2);
}
