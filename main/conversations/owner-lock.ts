import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { schemaVersion } from './migrations.ts';
import { withStorageErrors } from './storage-errors.ts';

/** What a program that uses the database holds for as long as it lives. `release` may be called twice. */
export interface OwnerLock {
  /** Id of this program's instance, kept with every run it starts. */
  readonly owner: string;
  /** False for an owner whose program has ended, however it ended. */
  isAlive(owner: string): boolean;
  /** True while a running program uses the database with another schema than ours. */
  isOtherSchemaLive(): boolean;
  release(): void;
}

/**
 * Takes the lock of this instance in `<folder>/<owner>.<schema>.lock`.
 *
 * It is SQLite's exclusive lock, which the operating system lets go of when the process ends: no pid is
 * compared and nothing has to be cleaned up after a crash.
 */
export function lockOwner(folder: string, owner: string): OwnerLock {
  const lock = withStorageErrors(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${owner}.${schemaVersion}.lock`);
    closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path);
    lockExclusively(database);
    return { path, database };
  });
  let isReleased = false;
  return {
    owner,
    isAlive: (other) =>
      other === owner || lockFiles(folder).some((file) => file.owner === other && isHeld(file)),
    isOtherSchemaLive: () =>
      lockFiles(folder).some(
        (file) => file.owner !== owner && file.schema !== schemaVersion && isHeld(file),
      ),
    release() {
      if (isReleased) return;
      isReleased = true;
      lock.database.close();
      rmSync(lock.path, { force: true });
    },
  };
}

/** An instance alone with a database in memory. */
export function soleOwner(owner: string): OwnerLock {
  return {
    owner,
    isAlive: (other) => other === owner,
    isOtherSchemaLive: () => false,
    release: () => undefined,
  };
}

interface LockFile {
  readonly path: string;
  readonly owner: string;
  readonly schema: number;
}

function lockFiles(folder: string): LockFile[] {
  return readdirSync(folder).flatMap((name) => {
    const match = /^(.+)\.(\d+)\.lock$/.exec(name);
    if (match === null) return [];
    return [{ path: join(folder, name), owner: match[1] ?? '', schema: Number(match[2]) }];
  });
}

/** Tries the lock of another instance; a file that nobody holds is a dead one's and goes. */
function isHeld(file: LockFile): boolean {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file.path, { timeout: 0 });
    lockExclusively(database);
  } catch {
    // Busy. Anything else that keeps us from the lock is read as alive too: its runs are left alone.
    database?.close();
    return true;
  }
  database.close();
  rmSync(file.path, { force: true });
  return false;
}

/** Nothing is ever written to a lock file, so it needs no journal beside it. */
function lockExclusively(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;');
}
