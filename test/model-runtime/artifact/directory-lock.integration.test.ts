import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuildError } from '../../../model-runtime/artifact/build-error.ts';
import { lockDirectory } from '../../../model-runtime/artifact/directory-lock.ts';
import { skipUnless } from '../../fixtures/skip.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'trinity-lock-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const refused = (code: string, text: string) =>
  expect.objectContaining({
    code,
    message: expect.stringContaining(text) as string,
    cause: expect.anything() as unknown,
  }) as unknown;

function faultOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(BuildError);
    return error;
  }
  throw new Error('nothing was refused');
}

describe('the lock of a router directory', () => {
  it('makes the folders above it for the owner only, and leaves nothing when it is let go', async () => {
    const lock = lockDirectory(join(home, 'a', 'b', 'router'));
    lock.release();
    lock.release();
    expect((await stat(join(home, 'a', 'b'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(home, 'a', 'b'))).toEqual([]);
  });

  it('says that a file stands where a folder should be', async () => {
    const file = join(home, 'file');
    await writeFile(file, 'mine');
    for (const out of [join(file, 'router'), join(file, 'more', 'router')]) {
      expect(faultOf(() => lockDirectory(out))).toEqual(
        refused('not_writable', `${out}: a file stands where a folder above it should be.`),
      );
    }
  });

  it.each([
    ['EACCES', 'not_writable', 'may not be written'],
    ['ENOSPC', 'disk_full', 'is full'],
    ['ELOOP', 'not_writable', 'no router can be made there (ELOOP). Choose another --out.'],
  ])('says what %s, met above the directory, means', (code, expected, text) => {
    const fail = (): never => {
      throw Object.assign(new Error(`${code}: no`), { code, syscall: 'mkdir' });
    };
    expect(faultOf(() => lockDirectory(join(home, 'router'), fail))).toEqual(
      refused(expected, text),
    );
  });

  skipUnless(existsSync('/proc/self'), 'there is no /proc here').it(
    'is refused, not tried for ever, where no folder can be made',
    () => {
      for (const out of ['/proc/trinity', '/proc/trinity/more/router']) {
        expect(faultOf(() => lockDirectory(out))).toEqual(
          refused('not_writable', `${out}: no router can be made there (ENOENT).`),
        );
      }
    },
  );
});
