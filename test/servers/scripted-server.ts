import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came over the wire. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The body's JSON value; null when it has none. */
  readonly json: unknown;
}

/** What the server does after its headers, in order. */
export type Step =
  | { readonly write: string | Buffer }
  /** Bytes of the connection itself, past its HTTP. */
  | { readonly raw: string | Buffer }
  | { readonly waitMs: number }
  /** Goes on when the promise resolves. */
  | { readonly until: Promise<unknown> }
  /** Holds the connection open until the client goes away. */
  | { readonly stall: true }
  /** Resets the connection. */
  | { readonly destroy: true }
  | { readonly end: true };

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Resets the connection before any header. */
  readonly dropBeforeHeaders?: boolean;
  /** Never sends a header. */
  readonly silent?: boolean;
  /** Sends no header of its own: the steps are all that is sent. */
  readonly bare?: boolean;
  readonly steps: readonly Step[];
}

export interface ScriptedServer {
  readonly origin: string;
  readonly requests: readonly RecordedRequest[];
  /** Sockets open right now. */
  readonly openSockets: number;
  /** Resolves when no socket is open. */
  whenQuiet(): Promise<void>;
  close(): Promise<void>;
}

/** Answers a request; `nth` counts the server's requests from 1. */
export type Replier = (request: RecordedRequest, nth: number) => Reply | Promise<Reply>;

/**
 * A real HTTP (or TLS) server on a free loopback port that does exactly what its replier says, and
 * remembers every request and every socket.
 */
export async function startScriptedServer(
  reply: Replier,
  tls: { readonly key: string; readonly cert: string } | null = null,
): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  const waiters = new Set<() => void>();
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    void (async () => {
      const request = await record(incoming);
      requests.push(request);
      await perform(await reply(request, requests.length), outgoing);
    })().catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined));
  };
  const server: Server = tls === null ? createHttpServer(handle) : createTlsServer(tls, handle);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0) for (const wake of waiters) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    get openSockets() {
      return sockets.size;
    },
    whenQuiet: () =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiters.delete(wake);
          resolve();
        };
        if (sockets.size === 0) resolve();
        else waiters.add(wake);
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString('utf8');
  let json: unknown = null;
  if (body !== '') json = JSON.parse(body);
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    json,
  };
}

async function perform(reply: Reply, outgoing: ServerResponse): Promise<void> {
  if (reply.dropBeforeHeaders === true) {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  if (reply.silent === true) return;
  if (reply.bare !== true) {
    outgoing.writeHead(reply.status ?? 200, reply.headers ?? {});
    outgoing.flushHeaders();
  }
  for (const step of reply.steps) {
    if (outgoing.destroyed) return;
    if ('write' in step) {
      if (!outgoing.write(step.write)) await untilWritable(outgoing);
      // Each write leaves on its own, so that a client sees the pieces apart.
      await new Promise((resolve) => setImmediate(resolve));
    } else if ('raw' in step) outgoing.socket?.write(step.raw);
    else if ('until' in step) await step.until;
    else if ('waitMs' in step) await new Promise((resolve) => setTimeout(resolve, step.waitMs));
    else if ('stall' in step) return;
    else if ('destroy' in step) {
      outgoing.socket?.resetAndDestroy();
      return;
    } else outgoing.end();
  }
}

function untilWritable(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go);
      outgoing.off('close', go);
      resolve();
    };
    outgoing.on('drain', go);
    outgoing.on('close', go);
  });
}
