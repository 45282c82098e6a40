import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { RPCHandler } from '@orpc/server/ws';
import { WebSocketServer } from 'ws';
import { socketPath, socketProtocol } from '../../../contracts/app/handshake.ts';
import type { FakeApp } from './fake-app.ts';

/** The policy that the real hosts send, so that a page which breaks it is seen here. */
const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ws:; base-uri 'none'; form-action 'none'";

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Serves a built page with the fake app behind it, on a loopback port. Lets anyone in: tests only. */
export async function startFakeHost(app: FakeApp, pageDirectory: string, port = 0) {
  const handler = new RPCHandler(app.procedures());
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      const path = join(pageDirectory, normalize(pathname === '/' ? '/index.html' : pathname));
      const isFile = await stat(path).then(
        (found) => found.isFile(),
        () => false,
      );
      response.setHeader('content-security-policy', contentPolicy);
      response.setHeader('content-type', types[extname(path)] ?? 'application/octet-stream');
      if (isFile) createReadStream(path).pipe(response);
      else response.writeHead(404).end();
    })();
  });
  const sockets = new WebSocketServer({
    server,
    path: socketPath,
    handleProtocols: () => socketProtocol,
  });
  sockets.on('connection', (socket) => void handler.upgrade(socket, { context: {} }));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/`,
    /** Cuts every socket, as a sleeping computer does. */
    cut: () => sockets.clients.forEach((socket) => socket.terminate()),
    close: async () => {
      sockets.clients.forEach((socket) => socket.terminate());
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
