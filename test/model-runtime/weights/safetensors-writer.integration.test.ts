import { createHash } from 'node:crypto';
import { open, mkdtemp, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileOperations } from '../../../model-runtime/weights/atomic-file.ts';
import {
  writeSafetensors,
  type TensorSource,
} from '../../../model-runtime/weights/safetensors-writer.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-writer-'));
  path = join(folder, 'w.safetensors');
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const two: TensorSource[] = [
  { name: 'a', dtype: 'U8', shape: [3], data: Uint8Array.of(1, 2, 3) },
  {
    name: 'b',
    dtype: 'U8',
    shape: [2, 2],
    data: function* () {
      yield Uint8Array.of(4);
      yield Uint8Array.of(5, 6, 7);
    },
  },
];

describe('writing safetensors', () => {
  it('gives exactly the bytes of the format, header padded to a multiple of 8', async () => {
    const written = await writeSafetensors(path, two, { metadata: { format: 'pt' } });
    const json =
      '{"__metadata__":{"format":"pt"},"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},' +
      '"b":{"dtype":"U8","shape":[2,2],"data_offsets":[3,7]}}';
    const padded = json.padEnd(Math.ceil(json.length / 8) * 8);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(padded.length));
    const expected = Buffer.concat([length, Buffer.from(padded), Buffer.of(1, 2, 3, 4, 5, 6, 7)]);
    const bytes = await readFile(path);
    expect(bytes.equals(expected)).toBe(true);
    const sha256 = createHash('sha256').update(expected).digest('hex');
    expect(written).toEqual({ path, bytes: expected.length, sha256 });
  });

  it('leaves the header unpadded where that is asked for', async () => {
    await writeSafetensors(path, two.slice(0, 1), { headerAlignment: 1 });
    const json = '{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}}';
    expect((await readFile(path)).subarray(8, 8 + json.length).toString()).toBe(json);
    expect((await stat(path)).size).toBe(8 + json.length + 3);
  });

  it('writes files that only their owner reads', async () => {
    await writeSafetensors(path, two);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('refuses a name twice, a shape that is none, and pieces of another length', async () => {
    const [a] = two as [TensorSource];
    const refusals: [TensorSource[], string][] = [
      [[a, a], 'duplicate_key'],
      [[{ ...a, name: '__metadata__' }], 'duplicate_key'],
      [[{ ...a, shape: [-3] }], 'bad_shape'],
      [[{ ...a, shape: [4] }], 'bad_offsets'],
    ];
    for (const [tensors, code] of refusals) {
      await expect(writeSafetensors(path, tensors)).rejects.toMatchObject({ code });
    }
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('an interrupted write', () => {
  it('keeps the file that was there and leaves nothing else, whatever fails', async () => {
    await writeSafetensors(path, two);
    const before = await readFile(path);
    for (const fault of ['open', 'write', 'sync', 'rename', 'folder'] as const) {
      const failing = writeSafetensors(path, two.slice(0, 1), { files: faulty(fault) });
      await expect(failing).rejects.toMatchObject({
        code: 'write_failed',
        message: expect.stringContaining('ENOSPC'),
      });
      expect(await readdir(folder)).toEqual(['w.safetensors']);
      if (fault !== 'folder') expect((await readFile(path)).equals(before)).toBe(true);
    }
  });

  it('passes on what a tensor’s source throws', async () => {
    const data = async function* (): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      throw new Error('the source broke');
    };
    const broken = { name: 'x', dtype: 'U8', shape: [3], data } as const;
    await expect(writeSafetensors(path, [broken])).rejects.toThrow('the source broke');
    expect(await readdir(folder)).toEqual([]);
  });

  it('goes on beside a temporary file that a dead process left', async () => {
    const stale = `.w.safetensors.${process.pid}-0.tmp`;
    await (await open(join(folder, stale), 'w')).close();
    await writeSafetensors(path, two);
    expect((await readdir(folder)).sort()).toEqual([stale, 'w.safetensors'].sort());
  });
});

/** Node's own operations, one of which finds the disk full. */
function faulty(fault: 'open' | 'write' | 'sync' | 'rename' | 'folder'): FileOperations {
  const full = (syscall: string): Error =>
    Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall });
  return {
    open: async (file, flags, mode) => {
      if (fault === 'open' || (fault === 'folder' && flags === 'r')) throw full('open');
      const handle = await open(file, flags, mode);
      if (fault === 'write' || fault === 'sync') {
        Object.defineProperty(handle, fault, { value: () => Promise.reject(full(fault)) });
      }
      return handle;
    },
    rename: (from, to) => (fault === 'rename' ? Promise.reject(full('rename')) : rename(from, to)),
    unlink,
  };
}
