import { createORPCClient, DynamicLink, type ClientLink } from '@orpc/client';
import { RPCLink as PortLink } from '@orpc/client/message-port';
import { RPCLink as SocketLink } from '@orpc/client/websocket';
import type { ContractRouterClient } from '@orpc/contract';
import type { AppContract } from '../contracts/app/contract.ts';
import { socketClosed, socketPath, socketProtocols } from '../contracts/app/handshake.ts';
import { pageScheme, portOffer, portRequest } from '../contracts/app/page-port.ts';
import { TypedError } from '../contracts/failure.ts';
import {
  findPageSecret,
  forgetPageSecret,
  judgePageSecret,
  tellPageSecret,
  thisTab,
} from './page-secret.ts';

/** Everything the page may ask of the app. */
export type Client = ContractRouterClient<AppContract>;
type Link = ClientLink<Record<never, never>>;

/** `needs_address`: this tab has no page secret that the host knows, and no other tab told it one. */
export class ConnectError extends TypedError<'needs_address' | 'unreachable' | 'not_connected'> {}

/** One connection to the host. `closed` resolves once, with the reason in the page's words. */
export interface Connection {
  readonly link: Link;
  readonly closed: Promise<'lost' | 'host-ended'>;
  close(): void;
}

/**
 * Connects to the host that served this page: the one place where the page knows which host it has.
 *
 * @throws ConnectError `needs_address` or `unreachable`
 */
export function connectToHost(): Promise<Connection> {
  return location.protocol === `${pageScheme}:` ? connectByPort() : connectBySocket();
}

/** A client that outlives connections: each call goes through the link of the moment. */
export function clientOver(currentLink: () => Link | null): Client {
  return createORPCClient<Client>(
    new DynamicLink(() => {
      const link = currentLink();
      if (link === null) {
        throw new ConnectError('not_connected', 'The connection to the program is lost.', {
          retryable: true,
        });
      }
      return link;
    }),
  );
}

async function connectBySocket(): Promise<Connection> {
  const tab = thisTab();
  const secret = await findPageSecret(tab);
  if (secret === null) throw needsAddress();
  const url = new URL(socketPath, location.href.replace(/^http/, 'ws'));
  const socket = new WebSocket(url, socketProtocols(secret));
  // The link first: its calls end before anyone hears that the connection has.
  const link = new SocketLink({ websocket: socket });
  const closed = new Promise<'lost' | 'host-ended'>((resolve) => {
    socket.addEventListener('close', (event) => {
      resolve(event.code === socketClosed.goingAway ? 'host-ended' : 'lost');
    });
  });
  const opened = new Promise<true>((resolve) => {
    socket.addEventListener('open', () => resolve(true));
  });
  if ((await Promise.race([opened, closed])) !== true) {
    const judgement = await judgePageSecret(secret);
    if (judgement === 'out') throw needsAddress();
    if (judgement === 'stale') forgetPageSecret(tab);
    throw new ConnectError('unreachable', 'The program does not answer.', { retryable: true });
  }
  const stopTelling = tellPageSecret(tab);
  void closed.then(stopTelling);
  return { link, closed, close: () => socket.close() };
}

function needsAddress(): ConnectError {
  return new ConnectError('needs_address', 'This tab needs a fresh one-time address.');
}

function connectByPort(): Promise<Connection> {
  return new Promise((resolve) => {
    const onMessage = (event: MessageEvent) => {
      const [port] = event.ports;
      if (event.source !== window || event.data !== portOffer || port === undefined) return;
      window.removeEventListener('message', onMessage);
      port.start();
      const closed = new Promise<'lost'>((ended) => {
        port.addEventListener('close', () => ended('lost'));
      });
      resolve({ link: new PortLink({ port }), closed, close: () => port.close() });
    };
    window.addEventListener('message', onMessage);
    window.postMessage(portRequest, location.origin);
  });
}
