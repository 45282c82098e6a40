import { chmodSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { createFolder } from '../traces/create-folder.ts';
import { HostError } from './host-error.ts';

/** What decides where the data directory lies. */
export interface DataDirectoryPlaces {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
}

/**
 * Absolute path of the data directory, which need not exist: `--data-dir`, else `TRINITY_HOME`, else the
 * operating system's convention. On Windows that is the local profile, not the roaming one, because models
 * are gigabytes.
 *
 * @param asked value of `--data-dir`, relative to the working directory
 */
export function dataDirectoryPath(
  asked: string | undefined,
  places: DataDirectoryPlaces = currentPlaces(),
): string {
  const { env, home, cwd, platform } = places;
  const named = asked ?? env['TRINITY_HOME'];
  if (named !== undefined && named !== '') return resolve(cwd, named);
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'Trinity Desktop');
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Trinity Desktop');
    default:
      return join(xdgDataHome(env) ?? join(home, '.local', 'share'), 'trinity-desktop');
  }
}

/** One of these says that a folder is a data directory. A person may have put base models there first. */
const ownNames: ReadonlySet<string> = new Set([
  ...['settings.json', 'trinity.sqlite', 'trace.key', 'instance.lock'],
  ...['routers', 'models', 'owners', 'evals'],
]);

/**
 * Makes sure that the data directory exists and that only its owner may enter (mode 0700). A folder that
 * others may enter and that holds only files of other programs is left as it is: closing `/tmp` or a
 * system folder would harm the machine.
 *
 * @returns the same path
 * @throws HostError `data_directory` when it cannot be made, is no directory, is another program's, or
 *   cannot be protected
 */
export function openDataDirectory(path: string): string {
  try {
    createFolder(path);
    const stat = statSync(path);
    // A directory that someone made beforehand may be open to others.
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      refuseForeign(path);
      chmodSync(path, 0o700);
    }
  } catch (cause) {
    const message = `The data directory ${path} cannot be used: ${reasonOf(cause)}`;
    throw new HostError('data_directory', message, { cause });
  }
  return path;
}

const another = 'Name another one with --data-dir or TRINITY_HOME.';

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  switch ('code' in cause ? cause.code : null) {
    case 'EEXIST':
      return `it is a file. ${another}`;
    case 'ENOTDIR':
      return `a file stands in its path. ${another}`;
    case 'EACCES':
    case 'EPERM':
      return `access to it is refused. ${another}`;
    case 'EROFS':
      return `it lies on a disk that cannot be written. ${another}`;
    case 'ENOSPC':
      return 'the disk is full.';
    default:
      return cause.message;
  }
}

function refuseForeign(path: string): void {
  const names = readdirSync(path);
  if (names.length === 0 || names.some((name) => ownNames.has(name))) return;
  throw new Error('it holds other files. Name a folder that is empty or not there yet.');
}

function currentPlaces(): DataDirectoryPlaces {
  return {
    platform: process.platform,
    env: process.env,
    home: homedir(),
    cwd: process.cwd(),
  };
}

/** The XDG specification says that a relative path is to be ignored. */
function xdgDataHome(env: DataDirectoryPlaces['env']): string | undefined {
  const path = env['XDG_DATA_HOME'];
  return path !== undefined && isAbsolute(path) ? path : undefined;
}
