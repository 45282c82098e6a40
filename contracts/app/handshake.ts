import { z } from 'zod';

/**
 * How a page and the browser host meet, before the first call of the app's contract. (In Electron: page-port.ts.)
 *
 * The printed address is `http://127.0.0.1:PORT/enter#TOKEN`. The page behind `/enter`
 * (the host's own, a few lines) sends the one-time token to `POST /session`; the answer sets an HttpOnly,
 * SameSite=Strict cookie, which every other request needs, and carries a page secret, which that page puts
 * into session storage under `pageSecretKey` before it moves on to `/`. Cookies are shared by all ports of
 * a host, session storage is not: a program on another port never has both. The app's page then opens a
 * WebSocket at `socketPath` with the subprotocols of `socketProtocols(secret)`; a socket without them is
 * refused before it exists. A second tab has the cookie and no secret: it asks an open one over the
 * BroadcastChannel `pageSecretChannel` (same origin, port included). A page whose socket was refused learns why
 * from `GET /session` with its secret in `pageSecretHeader`: 200 in, 403 the secret is stale, 401 the browser is
 * not in.
 */
export const enterPath = '/enter';
export const sessionPath = '/session';
export const socketPath = '/rpc';

/** Session storage item that holds the page secret. */
export const pageSecretKey = 'trinity.page-secret';
/** Header that carries the page secret on HTTP requests that change anything. */
export const pageSecretHeader = 'x-trinity-page';
export const pageSecretChannel = 'trinity.page-secret';

/** Subprotocol that the host selects. */
export const socketProtocol = 'trinity.v1';
export const secretProtocolPrefix = 'trinity.page.';

/** Subprotocols that a page offers: the protocol, and its secret in the form of one more. */
export function socketProtocols(pageSecret: string): string[] {
  return [socketProtocol, secretProtocolPrefix + pageSecret];
}

/** One-time tokens, cookies and page secrets: 256 random bits in base64url. */
export const secretSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Body of `POST /session`; its answer is `{ secret }`. */
export const enterRequestSchema = z.object({ token: secretSchema });

/** Messages of the BroadcastChannel. An `ask` is answered by every page that has the secret. */
export const pageSecretMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ask') }),
  z.object({ kind: z.literal('tell'), secret: secretSchema }),
]);
export type PageSecretMessage = z.infer<typeof pageSecretMessageSchema>;

/** Close codes of the socket that a page should tell apart. */
export const socketClosed = {
  /** The host is ending: reconnecting is pointless until it is started again. */
  goingAway: 1001,
  /** A message that is no call, too many open calls, or a reader too slow for too long. */
  policy: 1008,
  /** A message above the limit. */
  tooBig: 1009,
} as const;
