import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dataDirectoryPath,
  openDataDirectory,
  type DataDirectoryPlaces,
} from '../../../main/hosts/data-directory.ts';

const linux: DataDirectoryPlaces = { platform: 'linux', env: {}, home: '/home/ada', cwd: '/tmp/w' };

describe('the path of the data directory', () => {
  it.each<[string, Partial<DataDirectoryPlaces>, string]>([
    ['Linux', {}, '/home/ada/.local/share/trinity-desktop'],
    ['Linux with XDG_DATA_HOME', { env: { XDG_DATA_HOME: '/x' } }, '/x/trinity-desktop'],
    [
      'Linux with a relative XDG_DATA_HOME, which is to be ignored',
      { env: { XDG_DATA_HOME: 'x' } },
      '/home/ada/.local/share/trinity-desktop',
    ],
    [
      'macOS',
      { platform: 'darwin', home: '/Users/ada' },
      '/Users/ada/Library/Application Support/Trinity Desktop',
    ],
    ['Windows', { platform: 'win32', env: { LOCALAPPDATA: '/L' } }, '/L/Trinity Desktop'],
  ])('follows the convention of %s', (_name, places, expected) => {
    expect(dataDirectoryPath(undefined, { ...linux, ...places })).toBe(expected);
  });

  it('is TRINITY_HOME where that is set, and --data-dir before it', () => {
    const places = { ...linux, env: { TRINITY_HOME: 'mine' } };
    expect(dataDirectoryPath(undefined, places)).toBe('/tmp/w/mine');
    expect(dataDirectoryPath('other', places)).toBe('/tmp/w/other');
  });

  it('takes an empty TRINITY_HOME for none', () => {
    expect(dataDirectoryPath(undefined, { ...linux, env: { TRINITY_HOME: '' } })).toBe(
      '/home/ada/.local/share/trinity-desktop',
    );
  });
});

describe('opening the data directory', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'trinity-data-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('makes it for its owner alone', () => {
    const path = openDataDirectory(join(root, 'a', 'b'));
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('closes one that others could enter', () => {
    chmodSync(root, 0o755);
    openDataDirectory(root);
    expect(statSync(root).mode & 0o777).toBe(0o700);
  });

  it('leaves a folder with others’ files open, and closes one with ours or a person’s models', () => {
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'letter.txt'), '');
    expect(() => openDataDirectory(root)).toThrowError(
      expect.objectContaining({
        code: 'data_directory',
        message: expect.stringContaining('holds other files'),
      }),
    );
    expect(statSync(root).mode & 0o777).toBe(0o755);
    mkdirSync(join(root, 'models'));
    openDataDirectory(root);
    expect(statSync(root).mode & 0o777).toBe(0o700);
  });

  it('refuses a file and what lies below one, with its path and what to do in the sentence', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const refusal = (path: string, reason: string) =>
      expect.objectContaining({
        code: 'data_directory',
        message:
          `The data directory ${path} cannot be used: ${reason}. ` +
          'Name another one with --data-dir or TRINITY_HOME.',
      });
    expect(() => openDataDirectory(file)).toThrowError(refusal(file, 'it is a file'));
    const below = join(file, 'data');
    expect(() => openDataDirectory(below)).toThrowError(
      refusal(below, 'a file stands in its path'),
    );
  });
});
