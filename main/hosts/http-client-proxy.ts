/** The proxies that an environment names; empty for none. */
export interface Proxies {
  readonly http: string;
  readonly https: string;
  readonly no: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case. An address without a scheme is one of
 * HTTP, as other programs read it.
 *
 * @throws Error with code `ERR_PROXY_ADDRESS` for what is no address of a proxy
 */
export function proxiesOf(environment: Readonly<Record<string, string | undefined>>): Proxies {
  const read = (name: string): string =>
    environment[name.toLowerCase()] ?? environment[name.toUpperCase()] ?? '';
  return {
    http: addressOf(read('http_proxy')),
    https: addressOf(read('https_proxy')),
    no: read('no_proxy'),
  };
}

const schemes = ['http:', 'https:', 'socks:', 'socks5:'];

function addressOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`;
  if (!URL.canParse(address) || !schemes.includes(new URL(address).protocol)) {
    throw Object.assign(new Error('A proxy variable holds no address.'), {
      code: 'ERR_PROXY_ADDRESS',
    });
  }
  return address;
}

/**
 * The error of a call, told apart where it was the proxy that could not be reached: its sockets fail with
 * the same codes as a server's.
 *
 * @returns an Error with code `ERR_PROXY_UNREACHABLE` and the given one as its cause, or the given one
 */
export function withProxyNamed(error: unknown, url: string, proxies: Proxies): unknown {
  const target = new URL(url);
  const isOfProxy = [proxies.http, proxies.https]
    .filter((proxy) => proxy !== '')
    .map((proxy) => new URL(proxy))
    .some((proxy) => causesOf(error).some((cause) => isConnectFailure(cause, proxy, target)));
  if (!isOfProxy) return error;
  return Object.assign(new Error('The proxy could not be reached.', { cause: error }), {
    code: 'ERR_PROXY_UNREACHABLE',
  });
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
const portOf = ({ port, protocol }: URL): string =>
  port === '' ? (defaultPorts[protocol] ?? '1080') : port;
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Whether an error says that it was the proxy, and not the server, to which no connection came about. */
function isConnectFailure(error: Error, proxy: URL, target: URL): boolean {
  const { syscall, hostname, address, port } = error as NodeJS.ErrnoException & {
    hostname?: string;
    address?: string;
    port?: number;
  };
  if (syscall === 'getaddrinfo') {
    return hostname === hostOf(proxy) && hostOf(proxy) !== hostOf(target);
  }
  if (syscall === 'connect') {
    if (String(port) !== portOf(proxy)) return false;
    return address === hostOf(proxy) || portOf(target) !== portOf(proxy);
  }
  const attempted = /attempted address(?:es)?: ([^,)]+)/.exec(error.message)?.[1];
  return attempted === `${proxy.hostname}:${portOf(proxy)}` && proxy.host !== target.host;
}

function causesOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth > 8) return [];
  const several = error instanceof AggregateError ? error.errors : [];
  return [
    error,
    ...several.flatMap((inner) => causesOf(inner, depth + 1)),
    ...causesOf(error.cause, depth + 1),
  ];
}
