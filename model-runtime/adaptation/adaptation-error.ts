import { TypedError } from '../../contracts/failure.ts';

/** Why an adaptation was refused or could not be computed. */
export type AdaptationErrorCode =
  | 'vector_format'
  | 'vector_length'
  | 'non_finite'
  | 'missing_tensor'
  | 'wrong_shape'
  | 'wrong_dtype'
  | 'span_mismatch'
  | 'not_tied'
  | 'vanishing_sum'
  | 'no_convergence'
  | 'worker_failed';

/** The error of everything that reads a router vector or adapts weights with it. */
export class AdaptationError extends TypedError<AdaptationErrorCode> {}
