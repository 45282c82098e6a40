import { TypedError } from '../../contracts/failure.ts';

export type ConversationErrorCode =
  /** No conversation or run of that id. */
  | 'not_found'
  /** The conversation has a live run, in this program or in another one. */
  | 'run_in_progress'
  /** A pinned slot that the router in use does not have. */
  | 'no_such_slot'
  /** The database cannot be written: disk full, read-only, locked for too long. */
  | 'storage_unwritable'
  /** The database file is damaged or is not a database. */
  | 'storage_corrupt'
  /** The database was written by a newer version of the program. */
  | 'schema_newer'
  /** The database must be changed for this version, and a running program uses it as it is. */
  | 'schema_busy'
  /** The program is closing. */
  | 'closed';

/** What can go wrong with conversations and their database. */
export class ConversationError extends TypedError<ConversationErrorCode> {}

export function conversationNotFound(id: string): ConversationError {
  return new ConversationError('not_found', `There is no conversation ${id}; it may be deleted.`);
}

export function runNotFound(id: string): ConversationError {
  return new ConversationError('not_found', `There is no run ${id}; it may be deleted.`);
}

export function noSuchSlot(slot: number, count: number): string {
  return `There is no slot ${slot}: this router has slots 0 to ${count - 1}. Pin one of those, or none.`;
}
