import type { IncomingMessage } from 'node:http';
import {
  pageSecretHeader,
  secretProtocolPrefix,
  secretSchema,
  socketPath,
  socketProtocol,
} from '../../../contracts/app/handshake.ts';
import type { AllowedAddresses } from './allowed-addresses.ts';
import type { Sessions } from './sessions.ts';

/** Why a request is refused: a status and a sentence. Null where it may pass. */
export type Refusal = { readonly status: number; readonly reason: string } | null;

/** The parts of a request that the checks read. */
export type CheckedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Decides who may ask what, from headers alone. One owner for pages, mutations and sockets. */
export interface RequestChecks {
  /** The checks of every request: a Host and an Origin of ours. */
  address(request: CheckedRequest): Refusal;
  /** A browser that came in by a one-time address. */
  cookie(request: CheckedRequest): Refusal;
  /** A page of ours: cookie and page secret. What anything that changes something needs. */
  page(request: CheckedRequest): Refusal;
  /** A WebSocket of a page of ours. */
  socket(request: CheckedRequest): Refusal;
  cookieOf(request: CheckedRequest): string | null;
}

/** @param cookieName carries the port, because all ports of a host share their cookies */
export function createRequestChecks(
  addresses: AllowedAddresses,
  sessions: Sessions,
  cookieName: string,
): RequestChecks {
  const cookieOf = (request: CheckedRequest): string | null =>
    readCookie(request.headers.cookie, cookieName);

  const address = (request: CheckedRequest): Refusal => {
    const own = addresses.originOfHost(request.headers.host);
    if (own === null) return { status: 421, reason: 'This server is not that host.' };
    const { origin } = request.headers;
    const mustHaveOrigin = request.method !== 'GET' && request.method !== 'HEAD';
    if (origin === undefined ? mustHaveOrigin : origin !== own) {
      return { status: 403, reason: 'Pages of that origin may not ask this server.' };
    }
    // Another port of this host is "same-site": it may lead here, and may not embed or fetch.
    const site = request.headers['sec-fetch-site'];
    const isForeign = site === 'cross-site' || site === 'same-site';
    if (isForeign && request.headers['sec-fetch-mode'] !== 'navigate') {
      return { status: 403, reason: 'Other pages may not load parts of this one.' };
    }
    return null;
  };

  const cookie = (request: CheckedRequest): Refusal =>
    sessions.hasCookie(cookieOf(request))
      ? null
      : { status: 401, reason: 'Enter by a one-time address first.' };

  const secret = (request: CheckedRequest, given: string | null): Refusal =>
    sessions.hasPage(cookieOf(request), given)
      ? null
      : { status: 403, reason: 'The page secret is missing or wrong.' };

  return {
    address,
    cookie,
    cookieOf,
    page: (request) =>
      cookie(request) ?? secret(request, readSecret(request.headers[pageSecretHeader])),
    socket(request) {
      const refused = address(request);
      if (refused !== null) return refused;
      if (request.url !== socketPath) return { status: 404, reason: 'No socket is served here.' };
      if (request.headers.origin === undefined) {
        return { status: 403, reason: 'A socket needs the origin of its page.' };
      }
      const offered = offeredProtocols(request.headers['sec-websocket-protocol']);
      const prefixed = offered.find((name) => name.startsWith(secretProtocolPrefix));
      const given = readSecret(prefixed?.slice(secretProtocolPrefix.length));
      const stranger = cookie(request) ?? secret(request, given);
      if (stranger !== null) return stranger;
      return offered.includes(socketProtocol)
        ? null
        : { status: 400, reason: `This server speaks ${socketProtocol}.` };
    },
  };
}

function readCookie(header: string | undefined, name: string): string | null {
  for (const pair of header?.split(';') ?? []) {
    const [key, value] = pair.split('=', 2);
    if (key?.trim() === name) return readSecret(value?.trim());
  }
  return null;
}

function readSecret(value: string | string[] | undefined): string | null {
  const secret = secretSchema.safeParse(value);
  return secret.success ? secret.data : null;
}

function offeredProtocols(header: string | undefined): string[] {
  return header?.split(',').map((name) => name.trim()) ?? [];
}
