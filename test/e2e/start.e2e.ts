import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { skipUnless } from './skip.ts';

const entry = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url));

/** `npm start -- --electron` with a program in Electron's place that does nothing but end. */
function startedWith(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'trinity-start-'));
  try {
    const binary = join(folder, 'electron');
    writeFileSync(binary, `#!/bin/sh\n${script}\n`);
    chmodSync(binary, 0o755);
    return spawnSync(process.execPath, [entry, '--electron'], {
      env: { ...process.env, DISPLAY: ':99', ELECTRON_OVERRIDE_DIST_PATH: folder },
      encoding: 'utf8',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

skipUnless(process.platform === 'linux', 'A shell script stands for Electron on Linux only.');

test('an Electron that crashes is said, and is no success', () => {
  const failed = startedWith('exit 3');
  expect([failed.status, failed.stderr]).toEqual([3, expect.stringContaining('code 3')]);
  const killed = startedWith('kill -SEGV $$');
  expect([killed.status, killed.stderr]).toEqual([1, expect.stringContaining('SIGSEGV')]);
  expect(killed.stderr).toContain('--browser');
});

test('a window that was closed is a success, and nothing is said', () => {
  expect(startedWith('exit 0')).toMatchObject({ status: 0, stderr: '' });
});
