import { z } from 'zod';

/** The form in which a typed error crosses a process or window boundary. */
export const failureSchema = z.object({
  code: z.string(),
  retryable: z.boolean(),
  /** A sentence a person can act on. */
  message: z.string(),
});
export type Failure = z.infer<typeof failureSchema>;

/**
 * Base of the rooms' error classes. A room subclasses it once with its closed list of codes:
 * `class WeightsError extends TypedError<'truncated' | 'non_finite'> {}`. Callers switch on `code`.
 */
export class TypedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly retryable: boolean;

  constructor(code: Code, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

/** The wire form of anything thrown: typed errors keep their code, others become `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof TypedError) {
    return { code: error.code, retryable: error.retryable, message: error.message };
  }
  return {
    code: 'internal',
    retryable: false,
    message: error instanceof Error ? error.message : String(error),
  };
}
