import { describe, expect, it } from 'vitest';
import { networkError } from '../../../../main/providers/wire/network-error.ts';

const coded = (code: string): Error => Object.assign(new Error(`${code} 10.0.0.1`), { code });
/** How fetch wraps what happened below it. */
const fetchFailed = (cause: unknown): Error => new TypeError('fetch failed', { cause });

describe('network errors', () => {
  it.each([
    ['ENOTFOUND', 'dns_failed'],
    ['EAI_AGAIN', 'dns_failed'],
    ['ECONNREFUSED', 'connection_refused'],
    ['EHOSTUNREACH', 'connection_refused'],
    ['ECONNRESET', 'connection_lost'],
    ['EPIPE', 'connection_lost'],
    ['UND_ERR_SOCKET', 'connection_lost'],
    ['UND_ERR_HEADERS_OVERFLOW', 'malformed_answer'],
    ['Z_DATA_ERROR', 'malformed_answer'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect_timeout'],
    ['ETIMEDOUT', 'connect_timeout'],
    ['CERT_HAS_EXPIRED', 'tls_failed'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_failed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['UND_ERR_PRX_CONN', 'proxy_failed'],
    ['SOMETHING_ELSE', 'network_failed'],
  ])('of Node: %s is %s', (code, expected) => {
    expect(networkError(fetchFailed(coded(code))).code).toBe(expected);
  });

  it.each([
    ['net::ERR_NAME_NOT_RESOLVED', 'dns_failed'],
    ['net::ERR_INTERNET_DISCONNECTED', 'dns_failed'],
    ['net::ERR_CONNECTION_REFUSED', 'connection_refused'],
    ['net::ERR_CONNECTION_RESET', 'connection_lost'],
    ['net::ERR_EMPTY_RESPONSE', 'connection_lost'],
    ['net::ERR_INCOMPLETE_CHUNKED_ENCODING', 'connection_lost'],
    ['net::ERR_CONNECTION_TIMED_OUT', 'connect_timeout'],
    ['net::ERR_CERT_AUTHORITY_INVALID', 'tls_failed'],
    ['net::ERR_SSL_PROTOCOL_ERROR', 'tls_failed'],
    ['net::ERR_PROXY_CONNECTION_FAILED', 'proxy_failed'],
    ['net::ERR_TUNNEL_CONNECTION_FAILED', 'proxy_failed'],
    ['net::ERR_UNSAFE_PORT', 'connection_refused'],
    ['net::ERR_INVALID_HTTP_RESPONSE', 'malformed_answer'],
    ['net::ERR_CONTENT_DECODING_FAILED', 'malformed_answer'],
  ])("of Electron's net: %s is %s", (message, expected) => {
    expect(networkError(new Error(message)).code).toBe(expected);
  });

  it('that nobody knows are a broken-off answer once some of it was shown', () => {
    expect(networkError(fetchFailed(coded('SOMETHING_ELSE')), true).code).toBe('stream_cut');
    expect(networkError(fetchFailed(coded('ECONNRESET')), true).code).toBe('connection_lost');
  });

  it('of several addresses are read from the first that says something', () => {
    const all = new AggregateError([new Error('?'), coded('ECONNREFUSED')]);
    expect(networkError(fetchFailed(all)).code).toBe('connection_refused');
  });

  it('never show the text of the platform, which may hold addresses', () => {
    const error = networkError(fetchFailed(coded('ECONNREFUSED')));
    expect(error.message).not.toMatch(/10\.0\.0\.1|ECONN/);
    expect(error.cause).toBeInstanceOf(TypeError);
  });
});
