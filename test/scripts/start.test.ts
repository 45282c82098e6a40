import { mkdirSync, mkdtempSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasDisplay, openCommand } from '../../main/hosts/open-address.ts';
import { isStale } from '../../scripts/build-if-stale.ts';
import { electronBinary } from '../../scripts/electron-binary.ts';
import { readStartOptions } from '../../scripts/start-options.ts';

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'trinity-start-'))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the arguments of npm start', () => {
  it('leave everything to the program when there are none', () => {
    expect(readStartOptions([])).toEqual({
      host: 'either',
      port: undefined,
      open: true,
      dataDirectory: undefined,
      allowOrigins: [],
      debugNative: false,
      help: false,
    });
  });

  it('choose host, port, directory and origins', () => {
    const args =
      '--browser --port 0 --no-open --data-dir d --allow-origin http://a:1 --allow-origin http://b:2';
    expect(readStartOptions(args.split(' '))).toMatchObject({
      host: 'browser',
      port: 0,
      open: false,
      dataDirectory: 'd',
      allowOrigins: ['http://a:1', 'http://b:2'],
    });
    expect(readStartOptions(['--electron', '--debug-native'])).toMatchObject({
      host: 'electron',
      debugNative: true,
    });
  });

  it.each([
    [['--port', '70000']],
    [['--port', 'x']],
    [['--port', '']],
    [['--nonsense']],
    [['--browser', '--electron']],
    [['extra']],
  ])('are refused in a sentence: %j', (args) => {
    expect(readStartOptions(args)).toEqual(expect.any(String));
  });
});

describe('the Electron runtime of a checkout', () => {
  const folder = () => join(root, 'node_modules', 'electron');

  it('is absent until it has been fetched', () => {
    mkdirSync(folder(), { recursive: true });
    expect(electronBinary(root, {})).toBeNull();
  });

  it('is found where path.txt says', () => {
    mkdirSync(join(folder(), 'dist'), { recursive: true });
    writeFileSync(join(folder(), 'path.txt'), 'electron.exe');
    expect(electronBinary(root, {})).toBeNull();
    writeFileSync(join(folder(), 'dist', 'electron.exe'), '');
    expect(electronBinary(root, {})).toBe(join(folder(), 'dist', 'electron.exe'));
  });

  it('is found where the environment says', () => {
    writeFileSync(join(root, 'electron'), '');
    expect(electronBinary(root, { ELECTRON_OVERRIDE_DIST_PATH: root })).toBe(
      join(root, 'electron'),
    );
  });
});

describe('a built page', () => {
  it('is stale when it is missing, or a source is newer, deeper down too, or one is gone', () => {
    const made = join(root, 'made');
    const sources = join(root, 'sources');
    mkdirSync(join(sources, 'deep'), { recursive: true });
    const deep = join(sources, 'deep', 'file');
    writeFileSync(deep, '');
    expect(isStale(made, [sources])).toBe(true);
    writeFileSync(made, '');
    const later = new Date(Date.now() + 60_000);
    const evenLater = new Date(Date.now() + 120_000);
    utimesSync(made, later, later);
    expect(isStale(made, [sources])).toBe(false);
    utimesSync(deep, evenLater, evenLater);
    expect(isStale(made, [sources])).toBe(true);
    unlinkSync(deep);
    expect(isStale(made, [sources])).toBe(false);
    utimesSync(join(sources, 'deep'), evenLater, evenLater);
    expect(isStale(made, [sources])).toBe(true);
  });
});

describe('opening an address', () => {
  it('needs a display on Linux only', () => {
    expect(hasDisplay({ platform: 'linux', env: {} })).toBe(false);
    expect(hasDisplay({ platform: 'linux', env: { DISPLAY: ':0' } })).toBe(true);
    expect(hasDisplay({ platform: 'linux', env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
    expect(hasDisplay({ platform: 'darwin', env: {} })).toBe(true);
    expect(hasDisplay({ platform: 'win32', env: {} })).toBe(true);
  });

  it('passes the address as one argument, through no shell', () => {
    const url = 'http://127.0.0.1:1/enter#a&b';
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      expect(openCommand(url, platform)[1].at(-1)).toBe(url);
    }
  });
});
