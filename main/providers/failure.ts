import { TypedError } from '../../contracts/failure.ts';

/** Everything that can go wrong behind a slot. Grouped by when: binding, key, network, waiting, answer. */
export const providerCodes = [
  'slot_missing',
  'slot_disabled',
  'slot_out_of_range',
  'duplicate_slot',
  'unknown_provider',
  'base_url_missing',
  'header_reserved',
  'script_invalid',
  'spending_cap',
  'price_unknown',
  'key_missing',
  'key_shape',
  'key_other_origin',
  'key_unavailable',
  'dns_failed',
  'connection_refused',
  'connection_lost',
  'tls_failed',
  'proxy_failed',
  'network_failed',
  'connect_timeout',
  'first_token_timeout',
  'idle_timeout',
  'total_timeout',
  'redirected',
  'key_refused',
  'access_denied',
  'region_blocked',
  'no_credit',
  'model_not_found',
  'address_not_found',
  'context_too_long',
  'request_refused',
  'request_timeout',
  'rate_limited',
  'overloaded',
  'server_error',
  'wrong_content_type',
  'malformed_answer',
  'answer_too_long',
  'stream_cut',
  'stream_error',
  'stopped',
  'internal',
] as const;
export type ProviderCode = (typeof providerCodes)[number];

/**
 * Codes that another attempt may cure, as long as nothing of an answer has been shown. Timeouts are not
 * among them: a person has already waited, and a second wait is theirs to decide.
 */
const retryableCodes: ReadonlySet<ProviderCode> = new Set([
  'connection_lost',
  'request_timeout',
  'rate_limited',
  'overloaded',
  'server_error',
]);

/** The error of this room. Its message is ours and holds no URL, no secret and no text of a conversation. */
export class ProviderError extends TypedError<ProviderCode> {
  readonly httpStatus: number | null;
  /** How long the provider asked us to wait; null when it did not say. */
  readonly retryAfterMs: number | null;
  /** What the server said, cleaned of secrets and addresses, for the person who tests the slot. */
  readonly detail: string | null;

  constructor(
    code: ProviderCode,
    message: string,
    options: {
      httpStatus?: number;
      retryAfterMs?: number | null;
      detail?: string | null;
      cause?: unknown;
    } = {},
  ) {
    super(code, message, { retryable: retryableCodes.has(code), cause: options.cause });
    this.httpStatus = options.httpStatus ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.detail = options.detail ?? null;
  }
}

/** Any thrown thing as this room's error: unexpected ones become `internal` with a neutral sentence. */
export function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  return new ProviderError('internal', 'The call failed inside Trinity. Please report this.', {
    cause: error,
  });
}
