import type { DatabaseSync } from 'node:sqlite';
import { ConversationError } from './errors.ts';
import { sql as conversations } from './migrations/0001-conversations.ts';
import { sql as search } from './migrations/0002-search.ts';
import { sql as runOrder } from './migrations/0003-run-order.ts';
import { indexEverything } from './search/search-index.ts';

interface Migration {
  readonly sql: string;
  /** What SQL alone cannot do, after it. */
  readonly then?: (database: DatabaseSync) => void;
}

/** The migrations in order; `PRAGMA user_version` counts how many a database has had. */
const migrations: readonly Migration[] = [
  { sql: conversations },
  { sql: search, then: indexEverything },
  { sql: runOrder },
];

/** The version of the schema that this program reads and writes. */
export const schemaVersion = migrations.length;

/**
 * Refuses a database that another program has made, and changes nothing of it. One statement sees both
 * the version and the tables as they were at one moment, also while a program beside creates them.
 *
 * @throws ConversationError `storage_corrupt`
 */
export function refuseForeign(database: DatabaseSync): void {
  const foreign = database.prepare(
    `SELECT 1 FROM pragma_user_version WHERE user_version < 0
       OR (user_version = 0 AND EXISTS (SELECT 1 FROM sqlite_schema))`,
  );
  if (foreign.get() === undefined) return;
  throw new ConversationError(
    'storage_corrupt',
    'The file trinity.sqlite is another program’s database. Move it away, or choose another data directory.',
  );
}

/**
 * Brings a database to this program's schema, in one transaction: all of it or nothing.
 *
 * @param isOtherSchemaLive true while a running program uses the database with another schema
 * @throws ConversationError `schema_newer`, or `schema_busy` when a change is needed while another
 *   schema is live
 */
export function migrate(database: DatabaseSync, isOtherSchemaLive: () => boolean): void {
  if (versionOf(database) === schemaVersion) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    if (version > schemaVersion) {
      throw new ConversationError(
        'schema_newer',
        'The conversations were written by a newer version of Trinity. Start that version, or choose another data directory.',
      );
    }
    if (version < schemaVersion && isOtherSchemaLive()) {
      throw new ConversationError(
        'schema_busy',
        'Another version of Trinity is running with this data. Quit it, then start again.',
        { retryable: true },
      );
    }
    for (const migration of migrations.slice(version)) {
      database.exec(migration.sql);
      migration.then?.(database);
    }
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  const row = database.prepare('PRAGMA user_version').get();
  const version = row?.['user_version'];
  return typeof version === 'number' ? version : 0;
}
