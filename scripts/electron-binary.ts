import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Path of Electron's executable in this checkout; null when its runtime has not been fetched. Never asks the
 * `electron` package itself: requiring it starts a download.
 */
export function electronBinary(
  root: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  const packageFolder = join(root, 'node_modules', 'electron');
  const pathFile = join(packageFolder, 'path.txt');
  const folder = env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(packageFolder, 'dist');
  const name = existsSync(pathFile) ? readFileSync(pathFile, 'utf8').trim() : 'electron';
  const path = join(folder, name);
  return existsSync(path) ? path : null;
}

/**
 * Fetches Electron's runtime once. Without a network that fails within seconds.
 *
 * @returns null when it is there, else the reason in words
 */
export function fetchElectron(root: string): string | null {
  const installer = join(root, 'node_modules', 'electron', 'install.js');
  if (!existsSync(installer)) return 'the electron package is not installed';
  const result = spawnSync(process.execPath, [installer], {
    encoding: 'utf8',
    timeout: 15 * 60_000,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (result.status === 0 && electronBinary(root) !== null) return null;
  const [firstLine = ''] = result.stderr.trim().split('\n');
  return `its runtime could not be fetched (${firstLine === '' ? 'no answer' : firstLine})`;
}
