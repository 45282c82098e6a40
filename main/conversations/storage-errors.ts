import { ConversationError } from './errors.ts';

/** SQLite's primary result codes that we tell apart (sqlite.org/rescode.html). */
const unwritable = new Map([
  [3, 'access to it is refused'],
  [5, 'another program holds it'],
  [6, 'another program holds it'],
  [8, 'it is read-only'],
  [10, 'the disk reports an error'],
  [13, 'the disk is full'],
  [14, 'it cannot be opened'],
]);
/** The same of the operating system, where a file is opened or a folder is made for SQLite. */
const unwritableFiles = new Map([
  ['EACCES', 'access to it is refused'],
  ['EPERM', 'access to it is refused'],
  ['EROFS', 'it is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk is full'],
  ['EISDIR', 'there is a folder in its place'],
  ['EEXIST', 'there is a file where a folder belongs'],
  ['ENOTDIR', 'there is a file where a folder belongs'],
]);
const corrupt = new Set([11, 26]);
const constraint = 19;

/**
 * Runs a piece of database work and gives its failures their names: `storage_unwritable` (worth a
 * retry), `storage_corrupt` and `closed`. Other errors pass unchanged.
 */
export function withStorageErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error);
  }
}

/** True for a violated constraint, such as a second live run of one conversation. */
export function isConstraintViolation(error: unknown): boolean {
  return primaryCode(error) === constraint;
}

function storageError(error: unknown): unknown {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE') {
    return new ConversationError('closed', 'The database is closed.', { cause: error });
  }
  const systemReason = unwritableFiles.get(systemCode(error));
  if (systemReason !== undefined) return unwritableError(systemReason, error);
  const code = primaryCode(error);
  if (code === null) return error;
  if (corrupt.has(code)) {
    return new ConversationError(
      'storage_corrupt',
      'The database is damaged. Quit, keep a copy of trinity.sqlite, and restore it from a backup or move it away.',
      { cause: error },
    );
  }
  const why = unwritable.get(code);
  return why === undefined ? error : unwritableError(why, error);
}

function unwritableError(why: string, cause: unknown): ConversationError {
  const path = cause instanceof Error && 'path' in cause ? ` (${String(cause.path)})` : '';
  return new ConversationError(
    'storage_unwritable',
    `The database cannot be written: ${why}${path}. Nothing more is sent until it can be.`,
    { retryable: true, cause },
  );
}

function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Extended result codes carry the primary one in their low byte. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}
