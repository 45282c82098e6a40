import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createFolder } from './create-folder.ts';
import { TraceError } from './errors.ts';

const keyBytes = 32;

/**
 * The key under which default traces of this installation hash texts: 32 random bytes in a file of mode
 * 0600, made on first use. Equal texts of one installation have equal hashes; without the file nobody
 * can try short texts against them.
 *
 * Two programs may ask at the same time: the one that links its file first decides for both. A file of
 * another length is no key and is refused; removing it makes a new one, under which hashes of earlier
 * traces no longer compare.
 *
 * @throws TraceError `unreadable` (present, but not a key or not to be read), `unwritable`
 */
export function installationKey(path: string): Uint8Array {
  return readKey(path) ?? createKey(path);
}

function readKey(path: string): Uint8Array | null {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw new TraceError('unreadable', `The key of the traces, ${path}, cannot be read.`, {
      cause: error,
    });
  }
  if (bytes.length !== keyBytes) {
    throw new TraceError(
      'unreadable',
      `${path} is not the key of the traces. Remove it, and a new one is made.`,
    );
  }
  return bytes;
}

function createKey(path: string): Uint8Array {
  const key = randomBytes(keyBytes);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    createFolder(dirname(path));
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(file, key);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    try {
      // Unlike a rename, a link never replaces the key that another program has just made.
      linkSync(temporary, path);
    } finally {
      unlinkSync(temporary);
    }
    syncFolder(dirname(path));
    return key;
  } catch (error) {
    if (isCode(error, 'EEXIST')) {
      const made = readKey(path);
      if (made !== null) return made;
    }
    throw new TraceError('unwritable', `The key of the traces, ${path}, cannot be made.`, {
      cause: error,
    });
  }
}

function syncFolder(folder: string): void {
  // Windows opens no folders; there the link itself is what durability there is.
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
