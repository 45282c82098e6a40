import { ORPCError } from '@orpc/client';
import { failureSchema, toFailure, TypedError, type Failure } from '../../contracts/failure.ts';

/**
 * The failure inside anything a call threw: the typed one that crossed the wire, where there is one. What
 * is neither ours nor the host's comes from the connection under the call.
 */
export function failureOf(error: unknown): Failure {
  if (error instanceof TypedError) return toFailure(error);
  if (!(error instanceof ORPCError)) {
    return {
      code: 'interrupted',
      retryable: true,
      message: 'The connection to the program was interrupted.',
    };
  }
  const sent = failureSchema.safeParse(error.data);
  if (sent.success) return sent.data;
  return { code: error.code, retryable: error.status >= 500, message: error.message };
}
