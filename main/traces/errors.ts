import { TypedError } from '../../contracts/failure.ts';

export type TraceErrorCode =
  /** The file is not there or cannot be read. */
  | 'unreadable'
  /** A trace cannot be written here; the run goes on without it. */
  | 'unwritable'
  /** A run id that cannot be a file's name. */
  | 'bad_run_id'
  /** The file is no trace: its first line is not the first event of a run. */
  | 'not_a_trace'
  /** The trace holds hashes only, so there is nothing to route again. */
  | 'no_text';

/** What can go wrong with a trace. No message holds text of a run. */
export class TraceError extends TypedError<TraceErrorCode> {}
