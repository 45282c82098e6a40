import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessLauncher } from '../../../../contracts/ports.ts';
import { lockInstance } from '../../../../main/hosts/instance-lock.ts';
import { runTerminal } from '../../../../main/hosts/terminal/program.ts';

let dataDirectory: string;
let stdout: string;
let stderr: string;
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'trinity-url-'));
  stdout = '';
  stderr = '';
});
afterEach(() => rmSync(dataDirectory, { recursive: true, force: true }));

const url = (directory = dataDirectory): Promise<number> =>
  runTerminal(
    ['--data-dir', directory, 'url'],
    {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      stdin: process.stdin,
      env: {},
      cwd: dataDirectory,
      signal: new AbortController().signal,
      launcher: {} as ProcessLauncher,
    },
    '0.0.0',
  );

describe('trinity url', () => {
  it('prints the fresh address of the host that runs, and nothing else', async () => {
    const lock = lockInstance(dataDirectory)!;
    await lock.answerWith((ask) => ({ host: 'browser', url: `http://127.0.0.1:1/enter#${ask}` }));
    expect(await url()).toBe(0);
    expect(stdout).toBe('http://127.0.0.1:1/enter#url\n');
    lock.release();
  });

  it('says that a window has no address', async () => {
    const lock = lockInstance(dataDirectory)!;
    await lock.answerWith(() => ({ host: 'electron', url: null }));
    expect(await url()).toBe(1);
    expect(stderr).toContain('has a window');
    lock.release();
  });

  it('says that nothing runs, also where there is no data directory yet', async () => {
    expect(await url()).toBe(1);
    expect(stderr).toContain('npm start');
    expect(await url(join(dataDirectory, 'none'))).toBe(1);
    expect(stdout).toBe('');
  });
});
