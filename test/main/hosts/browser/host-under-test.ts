import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventIterator, os } from '@orpc/server';
import { WebSocket } from 'ws';
import { z } from 'zod';
import {
  secretSchema,
  sessionPath,
  socketPath,
  socketProtocols,
} from '../../../../contracts/app/handshake.ts';
import { startBrowserServer, type BrowserServer } from '../../../../main/hosts/browser/server.ts';
import type { SocketLimits } from '../../../../main/hosts/browser/sockets.ts';
import { loadPageFiles } from '../../../../main/hosts/page-files.ts';
import { createSystemClock } from '../../../../main/hosts/system-clock.ts';

/** What the stub procedures have seen. */
export interface Seen {
  streamed: number;
  endedStreams: number;
}

/** A browser host over a stub router and a page of three files, with a secret file beside the page. */
export interface HostUnderTest {
  readonly server: BrowserServer;
  readonly origin: string;
  readonly seen: Seen;
  token(): string;
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Reply>;
  post(path: string, body: string, headers?: Record<string, string>): Promise<Reply>;
  /** Comes in by a one-time address. */
  enter(): Promise<{ cookie: string; secret: string }>;
  close(): Promise<void>;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export async function startHost(
  limits?: SocketLimits,
  allowOrigins: readonly string[] = [],
): Promise<HostUnderTest> {
  const root = mkdtempSync(join(tmpdir(), 'trinity-page-'));
  const page = join(root, 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(root, 'secret.txt'), 'secret');
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(page, 'assets', 'app-1a2b.js'), 'export {};');
  const seen: Seen = { streamed: 0, endedStreams: 0 };
  const server = await startBrowserServer({
    router: stubRouter(seen),
    page: loadPageFiles(page),
    clock: createSystemClock(),
    port: 0,
    allowOrigins,
    ...(limits === undefined ? {} : { limits }),
  });
  const origin = `http://127.0.0.1:${server.port}`;
  const send = (options: RequestOptions, body?: string): Promise<Reply> =>
    sendRequest({ host: '127.0.0.1', port: server.port, ...options }, body);
  const host: HostUnderTest = {
    server,
    origin,
    seen,
    token: () => new URL(server.address()).hash.slice(1),
    get: (path, headers = {}, method = 'GET') => send({ path, headers, method }),
    post: (path, body, headers = {}) =>
      send({ path, method: 'POST', headers: { origin, ...headers } }, body),
    async enter() {
      const reply = await host.post(sessionPath, JSON.stringify({ token: host.token() }));
      const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      return {
        cookie,
        secret: z.object({ secret: secretSchema }).parse(JSON.parse(reply.body)).secret,
      };
    },
    async close() {
      await server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return host;
}

/** Opens a socket as a page would, or with some of its headers changed; `origin: null` sends none. Resolves to the socket or the refusal's status. */
export function openSocket(
  host: HostUnderTest,
  page: { cookie?: string; secret?: string; protocols?: string[] },
  options: { origin?: string | null; hostHeader?: string; path?: string } = {},
): Promise<WebSocket | number> {
  const protocols =
    page.protocols ?? (page.secret === undefined ? ['trinity.v1'] : socketProtocols(page.secret));
  const socket = new WebSocket(
    `ws://127.0.0.1:${host.server.port}${options.path ?? socketPath}`,
    protocols,
    {
      ...(options.origin !== null && { origin: options.origin ?? host.origin }),
      headers: {
        ...(page.cookie === undefined ? {} : { cookie: page.cookie }),
        ...(options.hostHeader === undefined ? {} : { host: options.hostHeader }),
      },
    },
  );
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', (error) => {
      if (!/closed before/.test(error.message)) reject(error);
    });
  });
}

function stubRouter(seen: Seen) {
  return {
    echo: os.input(z.object({ text: z.string() })).handler(({ input }) => input),
    /** Yields blocks of text until nobody listens. */
    flood: os.output(eventIterator(z.string())).handler(async function* ({ signal }) {
      const block = 'x'.repeat(64 * 1024);
      try {
        while (signal?.aborted !== true) {
          seen.streamed += 1;
          yield block;
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        seen.endedStreams += 1;
      }
    }),
    /** Says one thing and then waits until nobody listens. */
    idle: os.output(eventIterator(z.string())).handler(async function* ({ signal }) {
      try {
        yield 'open';
        await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      } finally {
        seen.endedStreams += 1;
      }
    }),
    never: os.handler(
      ({ signal }) => new Promise((resolve) => signal?.addEventListener('abort', resolve)),
    ),
  };
}

function sendRequest(options: RequestOptions, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}
