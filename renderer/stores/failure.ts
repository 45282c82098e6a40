import { ORPCError } from '@orpc/client';
import { failureSchema, toFailure, type Failure } from '../../contracts/failure.ts';

/** The failure inside anything a call threw: the typed one that crossed the wire, where there is one. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ORPCError)) return toFailure(error);
  const sent = failureSchema.safeParse(error.data);
  if (sent.success) return sent.data;
  return { code: error.code, retryable: error.status >= 500, message: error.message };
}
