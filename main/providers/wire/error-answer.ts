import { ProviderError, type ProviderCode } from '../failure.ts';
import { excerpt } from '../excerpt.ts';
import { retryAfterMs } from '../retry-after.ts';
import type { SecretForms } from '../secret-forms.ts';
import { wordsOf, type ErrorWords } from './error-words.ts';

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The start of the body, at most 64 KB. */
  readonly body: string;
}

/**
 * What a server's error answer means for a person: a code, a sentence of ours, how long to wait.
 * The body is only looked through; of its words nothing but members of closed lists is repeated, because
 * providers quote keys, prompts and addresses in them. A cleaned excerpt goes into `detail`.
 */
export function errorAnswer(
  { status, headers, body }: ErrorAnswer,
  secrets: SecretForms,
  now: number,
): ProviderError {
  const words = wordsOf(body);
  const code = codeOf(status, words);
  const known = knownWords.filter((word) => words.identifiers.includes(word));
  const page = words.isPage ? ' The answer was a web page, so the base URL may be wrong.' : '';
  return new ProviderError(
    code,
    `${sentences[code] ?? sentences.request_refused}${page} (${[`HTTP ${status}`, ...known].join(', ')})`,
    {
      httpStatus: status,
      retryAfterMs: retryAfterMs(headers, now) ?? words.retryDelayMs,
      detail: excerpt(words.message ?? (words.isPage ? '' : body), secrets),
    },
  );
}

/** An error that a stream reports after it began well: the same reading, without a status of its own. */
export function streamedError(body: unknown, secrets: SecretForms): ProviderError {
  const text = JSON.stringify(body) ?? '';
  const words = wordsOf(text);
  const status = words.status ?? 0;
  const code =
    status === 0 && codeOf(400, words) === 'request_refused'
      ? 'stream_error'
      : codeOf(status || 400, words);
  const known = knownWords.filter((word) => words.identifiers.includes(word));
  const suffix = known.length === 0 ? '' : ` (${known.join(', ')})`;
  return new ProviderError(code, `${sentences[code] ?? sentences.stream_error}${suffix}`, {
    ...(status === 0 ? {} : { httpStatus: status }),
    retryAfterMs: words.retryDelayMs,
    detail: excerpt(words.message ?? '', secrets),
  });
}

const sentences: Partial<Record<ProviderCode, string>> &
  Record<'request_refused' | 'stream_error', string> = {
  key_refused: 'The provider does not accept this key. Enter it again, or make a new one.',
  access_denied: 'The key is valid but may not use this model or service.',
  region_blocked:
    'The provider does not serve the country or region this computer appears to be in.',
  no_credit: 'The account has no credit left, or its billing limit is reached.',
  model_not_found: 'The provider has no model of this name, or the key may not see it.',
  address_not_found:
    'The server knows no such address. Check the base URL; most of them end in /v1.',
  context_too_long: 'The conversation is longer than this model can read.',
  request_refused: 'The provider refused the request as it is. Test the slot to see its own words.',
  request_timeout: 'The provider gave up waiting for the request.',
  rate_limited: 'The provider asks to slow down: too many requests or tokens for now.',
  overloaded: 'The provider is overloaded at the moment.',
  server_error: 'The provider had an error of its own.',
  stream_error: 'The provider reported an error in the middle of its answer.',
};

/** Machine words that may be repeated: none of them can carry a secret. */
// prettier-ignore
const knownWords = [
  'invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error',
  'request_too_large', 'rate_limit_error', 'rate_limit_exceeded', 'api_error', 'overloaded_error',
  'timeout_error', 'billing_error', 'insufficient_quota', 'invalid_api_key', 'model_not_found',
  'context_length_exceeded', 'unsupported_parameter', 'unsupported_value', 'invalid_value',
  'server_error', 'content_filter', 'unsupported_country_region_territory', 'tokens', 'requests',
  'INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'PERMISSION_DENIED', 'NOT_FOUND', 'UNAUTHENTICATED',
  'RESOURCE_EXHAUSTED', 'INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED', 'API_KEY_INVALID',
  'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'temperature', 'top_p', 'stop',
  'reasoning_effort', 'stream_options', 'messages', 'model',
] as const;

function codeOf(status: number, { all, identifiers }: ErrorWords): ProviderCode {
  const says = (pattern: RegExp): boolean => pattern.test(all);
  const names = (...words: string[]): boolean => words.some((word) => identifiers.includes(word));
  if (
    says(
      /unsupported_country|(country|region|location)[^.]{0,60}(not supported|not available|unsupported)/,
    )
  ) {
    return 'region_blocked';
  }
  if (status === 451) return 'region_blocked';
  if (
    status === 401 ||
    names('API_KEY_INVALID', 'invalid_api_key', 'authentication_error', 'UNAUTHENTICATED') ||
    says(/api key not valid|invalid api key|incorrect api key/)
  ) {
    return 'key_refused';
  }
  if (
    status === 402 ||
    names('insufficient_quota', 'billing_error', 'billing_hard_limit_reached') ||
    says(/credit balance|insufficient (balance|credit|fund)/)
  ) {
    return 'no_credit';
  }
  if (
    names('model_not_found', 'DeploymentNotFound') ||
    says(/models?\b[^.]{0,200}(not found|(does )?not exist|is not supported)|not a valid model/) ||
    (status === 404 && says(/not_found_error|"not_found"/) && says(/model/))
  ) {
    return 'model_not_found';
  }
  if (status === 403 || names('permission_error', 'PERMISSION_DENIED')) return 'access_denied';
  if (status === 404 || status === 405 || names('NOT_FOUND')) return 'address_not_found';
  if (
    status === 413 ||
    names('context_length_exceeded', 'request_too_large') ||
    says(/prompt is too long|maximum context|context (length|size|window)|too many tokens/)
  ) {
    return 'context_too_long';
  }
  if (status === 429 || names('rate_limit_error', 'rate_limit_exceeded', 'RESOURCE_EXHAUSTED'))
    return 'rate_limited';
  if (status === 408) return 'request_timeout';
  if (
    status === 503 ||
    status === 529 ||
    names('overloaded_error', 'UNAVAILABLE', 'engine_overloaded')
  )
    return 'overloaded';
  if (status >= 500 || names('api_error', 'server_error', 'INTERNAL', 'internal_server_error'))
    return 'server_error';
  return 'request_refused';
}
