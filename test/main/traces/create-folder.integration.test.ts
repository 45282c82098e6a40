import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../../../main/traces/create-folder.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';

const module = fileURLToPath(new URL('../../../main/traces/create-folder.ts', import.meta.url));

describe('a folder', () => {
  it('is made with those above it, each for its owner alone', () => {
    const root = temporaryFolder();
    createFolder(join(root, 'a', 'b'));
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  it('that is there is left as it is, by a link too', () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'there'), { mode: 0o755 });
    symlinkSync(join(root, 'there'), join(root, 'link'));
    createFolder(join(root, 'there'));
    createFolder(join(root, 'link'));
    createFolder(join(root, 'link', 'below'));
    expect(statSync(join(root, 'there')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'there', 'below')).isDirectory()).toBe(true);
    createFolder('/');
  });

  it('is refused where a file stands', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => createFolder(file)).toThrow('EEXIST');
    expect(() => createFolder(join(file, 'below'))).toThrow('ENOTDIR');
  });

  skipUnless(process.platform === 'linux', 'only Linux has /proc').it(
    'that cannot be made below /proc is refused instead of tried for ever',
    () => {
      // In a process of its own: what never returns cannot be timed out from within.
      const program = `import { createFolder } from ${JSON.stringify(module)};
        try { createFolder('/proc/nope/below'); } catch (error) { console.log(error.code); }`;
      const { stdout } = spawnSync(
        process.execPath,
        ['--input-type=module-typescript', '-e', program],
        { encoding: 'utf8', timeout: 60_000 },
      );
      expect(stdout).toBe('ENOENT\n');
    },
  );
});
