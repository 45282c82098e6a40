import { ProviderError, type ProviderCode } from '../failure.ts';

/** The sentence for each thing a network can do to a call. */
const sentences = {
  dns_failed:
    'The name of the server was not found. Check the base URL, and that this computer is online.',
  connection_refused:
    'Nothing answers at that address. Is the server running, and are host and port of the base URL right?',
  connection_lost: 'The connection was lost before the answer was complete.',
  tls_failed:
    'The server’s certificate is not trusted. Check the base URL and the clock of this computer, or whether a proxy opens the traffic.',
  proxy_failed: 'The proxy refused or could not be reached. Check the proxy settings.',
  connect_timeout: 'The server could not be reached in the time set for this slot.',
  network_failed: 'The network failed before the server answered.',
} as const satisfies Partial<Record<ProviderCode, string>>;
type NetworkCode = keyof typeof sentences;

/** Patterns over the codes that Node, undici and Chromium give their network errors. */
const patterns: readonly (readonly [RegExp, NetworkCode])[] = [
  [/PROXY|TUNNEL|UND_ERR_PRX/, 'proxy_failed'],
  [/^(ENOTFOUND|EAI_\w+)$|NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|NAME_RESOLUTION/, 'dns_failed'],
  [
    /^ECONNREFUSED$|CONNECTION_REFUSED|ADDRESS_UNREACHABLE|^E(HOST|NET)UNREACH$/,
    'connection_refused',
  ],
  [/^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$|CONNECTION_TIMED_OUT|ERR_TIMED_OUT/, 'connect_timeout'],
  [/CERT|SSL|TLS|^EPROTO$|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/, 'tls_failed'],
  [
    /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$|^HPE_|CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|INCOMPLETE_CHUNKED|CONTENT_LENGTH_MISMATCH|UND_ERR_RES_CONTENT_LENGTH|NETWORK_CHANGED/,
    'connection_lost',
  ],
];

/**
 * A network error in this room's words. The platform's own text is kept as the cause and never shown: it
 * may hold addresses.
 */
export function networkError(error: unknown): ProviderError {
  for (const code of codesOf(error)) {
    const known = patterns.find(([pattern]) => pattern.test(code));
    if (known !== undefined)
      return new ProviderError(known[1], sentences[known[1]], { cause: error });
  }
  return new ProviderError('network_failed', sentences.network_failed, { cause: error });
}

/** Codes of an error and its causes, outermost last: the innermost says most about what happened. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (!(value instanceof Error) || depth > 8) return;
    visit(value.cause, depth + 1);
    if (value instanceof AggregateError) value.errors.forEach((inner) => visit(inner, depth + 1));
    if ('code' in value && typeof value.code === 'string') codes.push(value.code);
    const chromium = /net::(ERR_\w+)/.exec(value.message)?.[1];
    if (chromium !== undefined) codes.push(chromium);
    // undici reports a refused tunnel as an abort whose only trace is this sentence.
    if (/proxy response \(\d+\)/i.test(value.message)) codes.push('PROXY');
  };
  visit(error, 0);
  return codes;
}
