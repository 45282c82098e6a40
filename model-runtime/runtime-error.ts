import { TypedError } from '../contracts/failure.ts';

export const runtimeErrorCodes = [
  'cancelled',
  'closed',
  'invalid_request',
  'too_long',
  'router_not_found',
  'router_invalid',
  'base_not_found',
  'file_unreadable',
  'tokenizer_invalid',
  'native_unavailable',
  'profile_unavailable',
  'load_failed',
  'run_failed',
  'build_failed',
  'process_died',
  'process_hung',
  'process_unstartable',
  'protocol',
  'internal',
] as const;
export type RuntimeErrorCode = (typeof runtimeErrorCodes)[number];

/** Everything the router runtime refuses or fails at. The message is a sentence a person can act on. */
export class RuntimeError extends TypedError<RuntimeErrorCode> {}

/** The runtime's own error for anything thrown inside it; typed errors of other rooms keep their text. */
export function toRuntimeError(
  error: unknown,
  code: RuntimeErrorCode,
  sentence: string,
): RuntimeError {
  if (error instanceof RuntimeError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new RuntimeError(code, `${sentence} ${detail}`, { cause: error });
}

/** True for a code of the closed list, as read back from another process. */
export function isRuntimeErrorCode(code: string): code is RuntimeErrorCode {
  return (runtimeErrorCodes as readonly string[]).includes(code);
}

/** The error of a request that its caller no longer wants. */
export function cancelled(): RuntimeError {
  return new RuntimeError('cancelled', 'The request was cancelled.', { retryable: true });
}
