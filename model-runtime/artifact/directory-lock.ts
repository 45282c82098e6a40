import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createFolder } from '../weights/create-folder.ts';
import { BuildError, explainFolderFault } from './build-error.ts';

/** The hold on a router directory. `release` may be called twice. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Holds a router directory for one writer, in this process or another.
 *
 * @param makeFolder makes the folder that the directory is to lie in
 * @throws BuildError `build_in_progress` naming the directory; `not_writable` or `disk_full` where the folder
 *   or the lock cannot be made
 *
 * The lock is SQLite's exclusive lock on a file beside the directory: the operating system lets go of it when
 * the process ends, however it ends, so there is never a stale one to break.
 */
export function lockDirectory(
  directory: string,
  makeFolder: (path: string) => void = createFolder,
): DirectoryLock {
  const path = join(dirname(directory), `.${basename(directory)}.lock`);
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw explainFolderFault(error, directory);
  }
  for (;;) {
    const before = inodeOf(path, directory);
    const database = tryLock(path, directory);
    // A holder that has just finished removes the file: a lock on a removed file holds nothing.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== before) {
      database.close();
      continue;
    }
    let isReleased = false;
    return {
      release() {
        if (isReleased) return;
        isReleased = true;
        // Removed while held; Windows removes no open file, there the empty file stays.
        rmQuietly(path);
        database.close();
      },
    };
  }
}

function tryLock(path: string, directory: string): DatabaseSync {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof Error && /locked|busy/i.test(cause.message)) {
      throw new BuildError(
        'build_in_progress',
        `Another build is writing ${directory}. Wait for it, stop it, or choose another --out.`,
        { retryable: true, cause },
      );
    }
    throw explainFolderFault(cause, directory);
  }
}

/** Inode of the lock's file, which is made when it is not there. */
function inodeOf(path: string, directory: string): number {
  try {
    const descriptor = openSync(path, 'a', 0o600);
    try {
      return fstatSync(descriptor).ino;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw explainFolderFault(error, directory);
  }
}

function rmQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Said above: the file may stay.
  }
}
