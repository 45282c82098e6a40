import { ProviderError, type ProviderCode } from '../failure.ts';

interface Fault {
  /** Over the codes that Node, undici and Chromium give their network errors. */
  readonly pattern: RegExp;
  readonly code: ProviderCode;
  readonly sentence: string;
  /** Such an answer breaks off where some of it was shown, whatever the cause. */
  readonly isCutOnceShown?: true;
}

/**
 * What a network can do to a call, most telling first: a proxy's trouble ends in the same codes as a
 * server's, and is told apart by one code more.
 */
const faults: readonly Fault[] = [
  {
    pattern: /^ERR_PROXY_ADDRESS$/,
    code: 'proxy_failed',
    sentence:
      'HTTP_PROXY or HTTPS_PROXY is no address of a proxy. Write it as http://host:port, or unset it.',
  },
  {
    pattern: /PROXY|TUNNEL|UND_ERR_PRX/,
    code: 'proxy_failed',
    sentence:
      'The proxy refused the call or could not be reached. Check the proxy settings of this computer, and HTTP_PROXY and HTTPS_PROXY where they are set.',
  },
  {
    pattern: /^ENOTFOUND$|^EAI_\w+$|NAME_NOT_RESOLVED|INTERNET_DISCONNECTED|NAME_RESOLUTION/,
    code: 'dns_failed',
    sentence:
      'The name of the server was not found. Check the base URL, and that this computer is online.',
  },
  {
    pattern: /^BAD_PORT$|ERR_UNSAFE_PORT/,
    code: 'connection_refused',
    sentence:
      'The port of the base URL belongs to another service and is blocked for calls like this one. Let the server use another port.',
  },
  {
    pattern: /^ECONNREFUSED$|CONNECTION_REFUSED|ADDRESS_UNREACHABLE|^E(HOST|NET)UNREACH$/,
    code: 'connection_refused',
    sentence:
      'Nothing answers at that address. Is the server running, and are host and port of the base URL right?',
  },
  {
    pattern: /^UND_ERR_CONNECT_TIMEOUT$|^ETIMEDOUT$|CONNECTION_TIMED_OUT|ERR_TIMED_OUT/,
    code: 'connect_timeout',
    sentence: 'The server could not be reached in the time set for this slot.',
  },
  {
    pattern: /CERT|SSL|TLS|^EPROTO$|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/,
    code: 'tls_failed',
    sentence:
      'The server’s certificate is not trusted. Check the base URL and the clock of this computer, or whether a proxy opens the traffic.',
  },
  {
    pattern: /HEADERS_OVERFLOW|RESPONSE_HEADERS_TOO_BIG/,
    code: 'malformed_answer',
    sentence:
      'The server’s answer begins with headers that are too long to read. Check that the base URL is the address of a model’s API, and not of a sign-in page.',
  },
  {
    pattern: /^HPE_|^HTTPParserError$|INVALID_HTTP_RESPONSE|INVALID_CHUNKED|ERR_RESPONSE_HEADERS/,
    code: 'malformed_answer',
    sentence:
      'What answers at that address does not speak HTTP as it should. Check host and port of the base URL: another service may listen there.',
    isCutOnceShown: true,
  },
  {
    pattern: /^Z_DATA_ERROR$|^ERR__ERROR_FORMAT|^ZSTD_error|CONTENT_DECODING/,
    code: 'malformed_answer',
    sentence:
      'The answer is said to be compressed and cannot be unpacked. Turn off the compression of the server, or of a proxy in front of it.',
    isCutOnceShown: true,
  },
  {
    pattern:
      /^(ECONNRESET|EPIPE|ECONNABORTED|Z_BUF_ERROR|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$|CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|INCOMPLETE_CHUNKED|CONTENT_LENGTH_MISMATCH|UND_ERR_RES_CONTENT_LENGTH|NETWORK_CHANGED/,
    code: 'connection_lost',
    sentence: 'The connection was lost before the answer was complete.',
  },
];

const unknownFault: Fault = {
  pattern: /$^/,
  code: 'network_failed',
  sentence: 'The network failed before the server answered.',
  isCutOnceShown: true,
};

/**
 * A network error in this room's words. The platform's own text is kept as the cause and never shown: it
 * may hold addresses.
 *
 * @param hasContent some of the answer was shown: what cannot be read from there on is a broken-off answer
 */
export function networkError(error: unknown, hasContent = false): ProviderError {
  const codes = codesOf(error);
  const fault =
    faults.find(({ pattern }) => codes.some((code) => pattern.test(code))) ?? unknownFault;
  return hasContent && fault.isCutOnceShown === true
    ? new ProviderError(
        'stream_cut',
        'The answer broke off: what the server sent after this could not be read.',
        { cause: error },
      )
    : new ProviderError(fault.code, fault.sentence, { cause: error });
}

/** Codes of an error and its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (!(value instanceof Error) || depth > 8) return;
    visit(value.cause, depth + 1);
    if (value instanceof AggregateError) value.errors.forEach((inner) => visit(inner, depth + 1));
    if ('code' in value && typeof value.code === 'string') codes.push(value.code);
    const chromium = /net::(ERR_\w+)/.exec(value.message)?.[1];
    if (chromium !== undefined) codes.push(chromium);
    // What undici gives no code is known by its class or its sentence.
    if (value.name === 'HTTPParserError') codes.push(value.name);
    if (/proxy response \(\d+\)|proxy authentication required/i.test(value.message)) {
      codes.push('PROXY');
    }
    if (value.message === 'bad port') codes.push('BAD_PORT');
  };
  visit(error, 0);
  return codes;
}
