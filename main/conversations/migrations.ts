import type { DatabaseSync } from 'node:sqlite';
import { ConversationError } from './errors.ts';
import { sql as conversations } from './migrations/0001-conversations.ts';
import { sql as search } from './migrations/0002-search.ts';
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
];

/** The version of the schema that this program reads and writes. */
export const schemaVersion = migrations.length;

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
