import type { RandomSource } from '../../contracts/ports.ts';
import type { ProviderError } from './failure.ts';

export interface RetryPolicy {
  /** Attempts of one call, the first included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A server that asks for more than this is not waited for: the slot is set aside instead. */
  readonly longestRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 4,
  firstDelayMs: 500,
  longestDelayMs: 8_000,
  longestRetryAfterMs: 20_000,
};

/**
 * How long to wait before the next attempt; null when there is none. A server's own wish is kept to the
 * millisecond and never undercut; else the delay doubles with every attempt, between half and all of it by
 * chance, so that slots that failed together do not return together.
 *
 * @param attempt number of the attempt that failed, from 1
 */
export function retryDelayMs(
  error: ProviderError,
  attempt: number,
  policy: RetryPolicy,
  random: RandomSource,
): number | null {
  if (!error.retryable || attempt >= policy.attempts) return null;
  if (error.retryAfterMs !== null) {
    return error.retryAfterMs > policy.longestRetryAfterMs ? null : error.retryAfterMs;
  }
  const full = Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.longestDelayMs);
  return full * (0.5 + 0.5 * random.next());
}
