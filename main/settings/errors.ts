import { TypedError } from '../../contracts/failure.ts';

export type SettingsErrorCode =
  /** The settings or the key file cannot be read although they are there. */
  | 'unreadable'
  /** They cannot be written; what was on disk is unchanged. */
  | 'unwritable'
  /** A member has a value it may not have. */
  | 'invalid'
  /** No key of that id. */
  | 'key_unknown'
  /** The key was stored for another origin. */
  | 'key_origin'
  /** The key cannot be opened by this program, or with what was given. */
  | 'key_closed'
  /** A scheme that cannot store a key here. */
  | 'key_scheme';

/** What can go wrong with settings and keys. No message holds a secret. */
export class SettingsError extends TypedError<SettingsErrorCode> {}
