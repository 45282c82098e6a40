import { HostError } from '../host-error.ts';

/** Which Host and Origin headers a request may carry. */
export interface AllowedAddresses {
  /** The origin that a Host header belongs to; null for a foreign one. */
  originOfHost(host: string | undefined): string | null;
}

/**
 * The addresses of a server on loopback: `127.0.0.1` and `localhost` with its port, and those that a person
 * allows because a tunnel or proxy answers there. A foreign Host is what DNS rebinding looks like.
 */
export function allowedAddresses(port: number, allowed: readonly URL[]): AllowedAddresses {
  const origins = new Map<string, string>();
  for (const name of ['127.0.0.1', 'localhost']) {
    origins.set(`${name}:${port}`, `http://${name}:${port}`);
  }
  for (const url of allowed) origins.set(url.host, url.origin);
  return {
    originOfHost: (host) => (host === undefined ? null : (origins.get(host.toLowerCase()) ?? null)),
  };
}

/**
 * Reads the values of `--allow-origin`, such as `https://box.example:8443`. Each also admits its host.
 *
 * @throws HostError `usage` for one that is no http(s) origin
 */
export function parseOrigins(texts: readonly string[]): URL[] {
  return texts.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isOrigin = url !== null && url.origin === text.replace(/\/$/, '').toLowerCase();
    if (!isOrigin || !/^https?:$/.test(url.protocol)) {
      throw new HostError(
        'usage',
        `--allow-origin ${text}: give scheme, host and port, such as https://box.example:8443.`,
      );
    }
    return url;
  });
}
