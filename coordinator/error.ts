import { TypedError } from '../contracts/failure.ts';

export type CoordinatorErrorCode =
  /** A selection that cannot be used: an unknown mode, a temperature that is not above zero. */
  | 'invalid_selection'
  /** A pinned slot that does not exist. */
  | 'invalid_pin'
  /** Logits of the wrong number, or not finite. */
  | 'invalid_logits'
  /** Every slot is disabled, unhealthy, out of budget or has just failed. */
  | 'no_agent_available'
  /** A dispatch under a cost limit whose price is not known. */
  | 'price_unknown';

/** What the coordinator refuses, and why. */
export class CoordinatorError extends TypedError<CoordinatorErrorCode> {}
