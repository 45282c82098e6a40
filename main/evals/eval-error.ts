import { TypedError } from '../../contracts/failure.ts';

export type EvalErrorCode =
  | 'suite_not_found'
  | 'suite_unreadable'
  | 'suite_empty'
  | 'unknown_case'
  | 'turn_changed'
  | 'case_exists'
  | 'results_unreadable'
  | 'results_mismatch'
  | 'results_busy'
  | 'snapshot_unreadable'
  | 'floors_unreadable'
  | 'profile_refused'
  | 'cannot_write';

/** What evaluations refuse, with the file or case it is about in the sentence. */
export class EvalError extends TypedError<EvalErrorCode> {}
