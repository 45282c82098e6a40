import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnyRouter } from '@orpc/server';
import { enterPath } from '../../../contracts/app/handshake.ts';
import type { Clock } from '../../../contracts/ports.ts';
import { HostError } from '../host-error.ts';
import type { PageFiles } from '../page-files.ts';
import { allowedAddresses, parseOrigins } from './allowed-addresses.ts';
import { createRequestChecks } from './request-checks.ts';
import { createRequestHandler } from './request-handler.ts';
import { createSessions } from './sessions.ts';
import { createSockets, defaultSocketLimits, type SocketLimits } from './sockets.ts';

export interface BrowserServerOptions {
  readonly router: AnyRouter;
  readonly page: PageFiles;
  readonly clock: Clock;
  /** 0 takes any free port. */
  readonly port: number;
  /** Origins beside loopback: where a tunnel or proxy answers. */
  readonly allowOrigins: readonly string[];
  readonly limits?: SocketLimits;
}

export interface BrowserServer {
  readonly port: number;
  /** A fresh one-time address of the page. */
  address(): string;
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

/** Connections of all kinds that are accepted at a time. */
const connectionLimit = 128;

/**
 * Serves the page and the app's contract on 127.0.0.1, to those who have a one-time address.
 *
 * @throws HostError `port` when the port is taken; `usage` for an origin that is none
 */
export async function startBrowserServer(options: BrowserServerOptions): Promise<BrowserServer> {
  const origins = parseOrigins(options.allowOrigins);
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 10_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
  });
  server.maxConnections = connectionLimit;
  const port = await listen(server, options.port);
  const sessions = createSessions(options.clock);
  const cookieName = `trinity_${port}`;
  const checks = createRequestChecks(allowedAddresses(port, origins), sessions, cookieName);
  const sockets = createSockets(
    options.router,
    checks,
    options.clock,
    options.limits ?? defaultSocketLimits,
  );
  server.on('request', createRequestHandler({ page: options.page, sessions, checks, cookieName }));
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head));
  return {
    port,
    address: () => `http://127.0.0.1:${port}${enterPath}#${sessions.issueToken()}`,
    async close() {
      sockets.close();
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'it is taken' : cause.message;
      reject(new HostError('port', `Port ${port} cannot be used: ${why}.`, { cause }));
    });
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
