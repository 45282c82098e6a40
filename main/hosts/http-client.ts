import { getCACertificates } from 'node:tls';
import { EnvHttpProxyAgent, fetch, type Dispatcher } from 'undici';
import type { HttpClient } from '../../contracts/ports.ts';
import { proxiesOf, withProxyNamed, type Proxies } from './http-client-proxy.ts';

export interface HttpClientOptions {
  /** The environment that names proxies: `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`, in either case. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Certificates (PEM) to trust beside the built-in ones; `NODE_EXTRA_CA_CERTS` works too. */
  readonly certificates?: readonly string[];
}

const defaultConnectTimeoutMs = 15_000;

/**
 * The HTTP client of hosts without Electron: undici with the environment's proxies. Redirects are handed
 * back, deadlines are the caller's, bodies stream decompressed. `close` ends idle and open connections.
 */
export function createHttpClient(options: HttpClientOptions): {
  http: HttpClient;
  close(): Promise<void>;
} {
  const agents = new Map<number, EnvHttpProxyAgent>();
  let closed = false;
  /** Undici fixes the connect timeout when an agent is made; callers use a handful of values. */
  const agentFor = (proxies: Proxies, connectTimeoutMs: number): Dispatcher => {
    if (closed) throw new Error('The HTTP client is closed.');
    const known = agents.get(connectTimeoutMs);
    if (known !== undefined) return known;
    const agent = createAgent(options, proxies, connectTimeoutMs);
    agents.set(connectTimeoutMs, agent);
    return agent;
  };
  return {
    http: async (url, { method, headers, body, signal, connectTimeoutMs }) => {
      const proxies = proxiesOf(options.environment);
      const response = await fetch(url, {
        method,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
        signal,
        redirect: 'manual',
        dispatcher: agentFor(proxies, connectTimeoutMs ?? defaultConnectTimeoutMs),
      }).catch((error: unknown) => {
        throw withProxyNamed(error, url, proxies);
      });
      // The same class by another name: undici's own declaration against Node's.
      return response as unknown as Response;
    },
    close: async () => {
      closed = true;
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}

/** Servers on this computer are not behind a proxy; browsers hold it the same way. */
const ownComputer = 'localhost,127.0.0.1,[::1]';

function createAgent(
  { certificates }: HttpClientOptions,
  proxies: Proxies,
  connectTimeoutMs: number,
): EnvHttpProxyAgent {
  const tls =
    certificates === undefined ? {} : { ca: [...getCACertificates('default'), ...certificates] };
  return new EnvHttpProxyAgent({
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: `${proxies.no},${ownComputer}`,
    // A model may think for minutes before its first byte: the caller's deadlines decide.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeoutMs, ...tls },
    requestTls: { timeout: connectTimeoutMs, ...tls },
  });
}
