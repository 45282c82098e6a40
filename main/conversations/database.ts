import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { migrate, refuseForeign } from './migrations.ts';
import { withStorageErrors } from './storage-errors.ts';

/** Milliseconds that a write waits for another program's write before it is refused. */
const busyTimeoutMs = 2000;

/**
 * Opens the database of conversations, creating and migrating it as needed: WAL, synchronous NORMAL
 * (a commit survives the death of the process), readable by its owner only.
 *
 * @param path a file, or `:memory:` for a database that is forgotten
 * @param isOtherSchemaLive see `migrate`
 * @throws ConversationError `storage_unwritable`, `storage_corrupt`, `schema_newer`, `schema_busy`
 */
export function openDatabase(
  path: string,
  isOtherSchemaLive: () => boolean = () => false,
): DatabaseSync {
  return withStorageErrors(() => {
    // SQLite gives its -wal and -shm files the mode of the database file.
    if (path !== ':memory:') closeSync(openSync(path, 'a', 0o600));
    const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    try {
      refuseForeign(database);
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
      database.exec('PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;');
      migrate(database, isOtherSchemaLive);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  });
}

/** Runs `work` in one write transaction: all of it is kept, or nothing. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  return withStorageErrors(() => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // A full disk may have rolled back already.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}
