import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBase } from '../../../model-runtime/artifact/base-library.ts';
import { DigestCache } from '../../../model-runtime/artifact/digest-cache.ts';
import { baseFiles, writeFiles } from './router-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trinity-basés '));
});
afterEach(() => rm(folder, { recursive: true }));

const digests = () => new DigestCache(null);

describe('findBase', () => {
  it('finds a base by content, whatever its folder is called', async () => {
    const files = await writeFiles(join(folder, 'models', 'any name'), baseFiles);
    await writeFiles(join(folder, 'models', 'other'), {
      ...baseFiles,
      'model.safetensors': 'Weights',
    });
    const base = { repo: 'r', revision: '1', files };
    expect(await findBase(base, [join(folder, 'models')], digests())).toBe(
      join(folder, 'models', 'any name'),
    );
  });

  it('finds one in a Hugging Face cache, whose files are links', async () => {
    const blobs = join(folder, 'hub', 'models--Qwen--Qwen3', 'blobs');
    const files = await writeFiles(blobs, baseFiles);
    const snapshot = join(folder, 'hub', 'models--Qwen--Qwen3', 'snapshots', 'c1899de');
    await mkdir(snapshot, { recursive: true });
    for (const { path, sha256 } of files) {
      await rename(join(blobs, path), join(blobs, sha256));
      await symlink(join('..', '..', 'blobs', sha256), join(snapshot, path));
    }
    const base = { repo: 'r', revision: '1', files };
    expect(await findBase(base, [join(folder, 'hub')], digests())).toBe(snapshot);
    expect(await findBase(base, [snapshot], digests())).toBe(snapshot);
  });

  it('says what is missing and where it looked', async () => {
    const files = await writeFiles(join(folder, 'a'), baseFiles);
    const changed = files.map((file, i) => (i === 0 ? { ...file, sha256: '0'.repeat(64) } : file));
    const base = { repo: 'Qwen/Qwen3-0.6B', revision: '1', files: changed };
    await expect(findBase(base, [folder], digests())).rejects.toMatchObject({
      code: 'base_not_found',
      message: expect.stringMatching(/Qwen\/Qwen3-0.6B.*trinity-basés/),
    });
    await expect(findBase(base, [], digests())).rejects.toThrow(/no folder was given/);
  });
});

describe('DigestCache', () => {
  it('hashes a file again only when its size or time has changed', async () => {
    const path = join(folder, 'file');
    const [first] = await writeFiles(folder, { file: 'one' });
    const kept = join(folder, 'made', 'digests.json');
    expect(await new DigestCache(kept).sha256(path)).toBe(first!.sha256);
    const [second] = await writeFiles(folder, { file: 'two' });
    await utimes(path, 5, 5);
    expect(await new DigestCache(kept).sha256(path)).toBe(second!.sha256);
    // Same size and time: what is remembered is believed, which shows that it is.
    await writeFile(path, 'six');
    await utimes(path, 5, 5);
    expect(await new DigestCache(kept).sha256(path)).toBe(second!.sha256);
  });

  it('works without its file, with a damaged one, and where none can be written', async () => {
    const [digest] = await writeFiles(folder, { file: 'one' });
    const path = join(folder, 'file');
    await writeFile(join(folder, 'damaged.json'), '{"a":');
    for (const kept of [null, join(folder, 'damaged.json'), join(folder, 'file', 'below.json')]) {
      expect(await new DigestCache(kept).sha256(path)).toBe(digest!.sha256);
    }
    await expect(digests().sha256(join(folder, 'nothing'))).rejects.toMatchObject({
      code: 'file_unreadable',
    });
  });
});
