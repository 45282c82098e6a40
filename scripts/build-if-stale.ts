import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What can be built: the page alone for the browser host, or everything that Electron runs. */
export type BuildTarget = 'page' | 'electron';

const pageSources = ['renderer', 'contracts', 'vite.page.config.ts', 'package-lock.json'];

const targets = {
  page: {
    made: join('out', 'renderer', 'index.html'),
    sources: pageSources,
    command: [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', '-c', 'vite.page.config.ts'],
  },
  electron: {
    made: join('out', 'main', 'index.js'),
    sources: [...pageSources, 'coordinator', 'model-runtime', 'main', 'preload'],
    command: [join('node_modules', 'electron-vite', 'bin', 'electron-vite.js'), 'build'],
  },
} as const;

/**
 * Builds what is missing or older than one of its sources, and is silent otherwise.
 *
 * @returns false when the build failed; its output has then been printed
 */
export function buildIfStale(
  root: string,
  target: BuildTarget,
  print: (text: string) => void,
): boolean {
  const { made, sources, command } = targets[target];
  if (
    !isStale(
      join(root, made),
      sources.map((source) => join(root, source)),
    )
  )
    return true;
  print('Building the page, once, a few seconds …\n');
  const result = spawnSync(process.execPath, [...command], { cwd: root, encoding: 'utf8' });
  if (result.status === 0) return true;
  print(`${result.stdout}${result.stderr}\nThe build failed.\n`);
  return false;
}

/** True when a file is missing or older than the newest of its sources. */
export function isStale(made: string, sources: readonly string[]): boolean {
  if (!existsSync(made)) return true;
  const madeAt = statSync(made).mtimeMs;
  return sources.some((source) => newestChange(source) > madeAt);
}

/** Folders count too: a deleted file changes only them. */
function newestChange(path: string): number {
  if (!existsSync(path)) return 0;
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return readdirSync(path, { recursive: true, withFileTypes: true }).reduce(
    (newest, entry) => Math.max(newest, statSync(join(entry.parentPath, entry.name)).mtimeMs),
    mtimeMs,
  );
}
