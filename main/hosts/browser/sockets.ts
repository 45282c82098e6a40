import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AnyRouter } from '@orpc/server';
import { RPCHandler } from '@orpc/server/websocket';
import { WebSocketServer, type WebSocket } from 'ws';
import { socketClosed, socketProtocol } from '../../../contracts/app/handshake.ts';
import type { Clock } from '../../../contracts/ports.ts';
import type { RequestChecks } from './request-checks.ts';

export interface SocketLimits {
  /** Bytes of one message from a page: a message of 200,000 characters, escaped, and room. */
  readonly messageBytes: number;
  readonly sockets: number;
  /** Calls and streams that one page may have open. */
  readonly openCalls: number;
  /** Bytes that wait to be sent to one page before its streams wait too. */
  readonly waitingBytes: number;
  /** A page that has answered no ping for this long is cut off. */
  readonly silenceMs: number;
}

export const defaultSocketLimits: SocketLimits = {
  messageBytes: 4 * 1024 * 1024,
  sockets: 16,
  openCalls: 256,
  waitingBytes: 1024 * 1024,
  silenceMs: 30_000,
};

const closeWaitMs = 500;

/** The pages' sockets, with the app's contract spoken over each. */
export interface Sockets {
  /** Takes an upgrade request: refuses it with an HTTP status, or turns it into a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): void;
}

export function createSockets(
  router: AnyRouter,
  checks: RequestChecks,
  clock: Clock,
  limits: SocketLimits = defaultSocketLimits,
): Sockets {
  const handler = new RPCHandler(router);
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    perMessageDeflate: false,
    handleProtocols: () => socketProtocol,
  });
  return {
    upgrade(request, socket, head) {
      const isFull = server.clients.size >= limits.sockets;
      const refused =
        checks.socket(request) ??
        (isFull ? { status: 503, reason: 'Too many pages are open.' } : null);
      if (refused !== null) {
        refuseUpgrade(socket, refused.status, refused.reason);
        return;
      }
      server.handleUpgrade(request, socket, head, (webSocket) => {
        serveSocket(webSocket, handler, clock, limits);
      });
    },
    close() {
      for (const webSocket of server.clients) {
        webSocket.close(socketClosed.goingAway, 'ending');
        // Pages answer a close at once; one that does not is not waited for.
        webSocket.once(
          'close',
          clock.after(closeWaitMs, () => webSocket.terminate()),
        );
      }
      server.close();
    },
  };
}

function refuseUpgrade(socket: Duplex, status: number, reason: string): void {
  // A client that hangs up while it is refused is no news.
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
      'connection: close\r\ncontent-type: text/plain; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(reason)}\r\n\r\n${reason}`,
  );
}

/** Speaks the contract over one socket until it closes; then every open call of it is aborted. */
function serveSocket(
  webSocket: WebSocket,
  handler: RPCHandler<Record<never, never>>,
  clock: Clock,
  limits: SocketLimits,
): void {
  const peer = {
    // A stream of the contract waits for its `send`: a page that stops reading stops its own streams only.
    send: (message: string | Uint8Array) => sendInTurn(webSocket, message, limits.waitingBytes),
    addEventListener: () => undefined,
  };
  let openCalls = 0;
  webSocket.on('message', (data: Buffer, isBinary) => {
    if (isBinary || !isCall(data) || openCalls >= limits.openCalls) {
      webSocket.close(socketClosed.policy, 'not a call, or too many open ones');
      return;
    }
    openCalls += 1;
    handler
      .message(peer as unknown as Parameters<typeof handler.message>[0], data.toString('utf8'), {
        context: {},
      })
      // The page is told of a procedure's failure by the contract; what is left is a socket that closed.
      .catch(() => undefined)
      .finally(() => (openCalls -= 1));
  });
  const stopWatching = watchSilence(webSocket, clock, limits.silenceMs);
  // The reason of an error follows as a close: too large, not UTF-8, reset.
  webSocket.on('error', () => undefined);
  webSocket.on('close', () => {
    stopWatching();
    handler.close(peer as unknown as Parameters<typeof handler.close>[0]);
  });
}

/** Resolves at once while little is waiting, else when the message has been handed to the system. */
function sendInTurn(
  webSocket: WebSocket,
  message: string | Uint8Array,
  waitingBytes: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => (error ? reject(error) : resolve());
    webSocket.send(message, done);
    if (webSocket.bufferedAmount < waitingBytes) resolve();
  });
}

/** True for the outer form of a call, an abort or an item of a stream. The rest is checked by the contract. */
function isCall(data: Buffer): boolean {
  try {
    const message: unknown = JSON.parse(data.toString('utf8'));
    return (
      typeof message === 'object' &&
      message !== null &&
      'i' in message &&
      typeof message.i === 'string'
    );
  } catch {
    return false;
  }
}

/** Pings the page and cuts it off when a ping stays unanswered: a sleeping laptop, a dead tunnel. */
function watchSilence(webSocket: WebSocket, clock: Clock, silenceMs: number): () => void {
  let isAnswered = true;
  webSocket.on('pong', () => (isAnswered = true));
  let cancel = clock.after(silenceMs, check);
  function check(): void {
    if (!isAnswered) {
      webSocket.terminate();
      return;
    }
    isAnswered = false;
    webSocket.ping();
    cancel = clock.after(silenceMs, check);
  }
  return () => cancel();
}
