import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../../../main/traces/create-folder.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('a folder', () => {
  it('is made with those above it, each for its owner alone', () => {
    const folder = temporaryFolder();
    createFolder(join(folder, 'a', 'b'));
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  it('that is there is left as it is, by a link too', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'there'), { mode: 0o755 });
    symlinkSync(join(folder, 'there'), join(folder, 'link'));
    createFolder(join(folder, 'there'));
    createFolder(join(folder, 'link'));
    createFolder(join(folder, 'link', 'below'));
    expect(statSync(join(folder, 'there')).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, 'there', 'below')).isDirectory()).toBe(true);
    createFolder('/');
  });

  it('is refused where a file stands', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createFolder(file)).toThrow('EEXIST');
    expect(() => createFolder(join(file, 'below'))).toThrow('ENOTDIR');
  });

  skipUnless(process.platform === 'linux', 'only Linux has /proc').it.each([
    ['main/traces/create-folder.ts', 'module.createFolder', 'ENOENT'],
    ['main/traces/writer.ts', 'module.nodeTraceFiles.mkdir', 'ENOENT'],
    ['main/hosts/data-directory.ts', 'module.openDataDirectory', 'data_directory'],
  ])('below /proc is refused instead of tried for ever: %s', (file, make, code) => {
    // In a process of its own: what never returns cannot be timed out from within.
    const program = `import * as module from ${JSON.stringify(join(root, file))};
      try { ${make}('/proc/nope/below'); } catch (error) { console.log(error.code); }`;
    const { stdout } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '-e', program],
      { encoding: 'utf8', timeout: 60_000 },
    );
    expect(stdout).toBe(`${code}\n`);
  });
});
