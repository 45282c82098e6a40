import { ORPCError, os } from '@orpc/server';
import { toFailure, TypedError } from '../contracts/failure.ts';

/** oRPC error codes that a page may switch on; everything else travels in `data`, a `Failure`. */
function wireError(error: unknown): unknown {
  // Refused inputs and unknown procedures already have their wire form.
  if (error instanceof ORPCError) return error;
  const failure = toFailure(error);
  return new ORPCError(error instanceof TypedError ? 'FAILED' : 'INTERNAL_SERVER_ERROR', {
    status: error instanceof TypedError ? 422 : 500,
    message: failure.message,
    data: failure,
    cause: error,
  });
}

/**
 * Gives what a procedure or its stream throws the form in which it reaches a page: an ORPCError whose
 * `data` is the `Failure`. Without it a page would learn nothing but "internal server error".
 */
export const failuresForPages = os.middleware(async ({ next }) => {
  try {
    const result = await next();
    return isStream(result.output) ? { ...result, output: withWireErrors(result.output) } : result;
  } catch (error) {
    throw wireError(error);
  }
});

type Stream = AsyncGenerator<unknown, unknown, undefined>;

function isStream(output: unknown): output is Stream {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output;
}

function withWireErrors(stream: Stream): Stream {
  const named = async <T>(step: Promise<T>): Promise<T> => {
    try {
      return await step;
    } catch (error) {
      throw wireError(error);
    }
  };
  return {
    next: () => named(stream.next()),
    return: (value) => named(stream.return(value)),
    throw: (error) => named(stream.throw(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => void (await stream.return(undefined)),
  };
}
