import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient } from '../../../main/hosts/http-client.ts';
import { networkError } from '../../../main/providers/wire/network-error.ts';
import { makeCertificate } from '../../servers/certificate.ts';
import { startScriptedServer, type Reply } from '../../servers/scripted-server.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(reply: Reply, tls?: { key: string; cert: string }) {
  const server = await startScriptedServer(() => reply, tls ?? null);
  closers.push(() => server.close());
  return server;
}

/** A proxy that leads every name to one loopback port and remembers what it was asked for. */
async function proxyTo(target: string, refuseWith?: number) {
  const asked: string[] = [];
  const { port } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    outgoing.writeHead(refuseWith ?? 200, { 'content-type': 'text/plain' });
    outgoing.end('by proxy');
  });
  proxy.on('connect', (incoming: IncomingMessage, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    socket.on('error', () => undefined);
    if (refuseWith !== undefined) {
      socket.end(`HTTP/1.1 ${refuseWith} No\r\n\r\n`);
      return;
    }
    const upstream = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    proxy.closeAllConnections();
    return new Promise((resolve) => proxy.close(resolve));
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

function client(options: Parameters<typeof createHttpClient>[0]) {
  const created = createHttpClient(options);
  closers.push(() => created.close());
  return created.http;
}

const get = { method: 'GET', headers: {}, signal: new AbortController().signal } as const;
const answer: Reply = { steps: [{ write: 'direct' }, { end: true }] };

describe('the HTTP client', () => {
  it('hands a redirect back instead of following it', async () => {
    const elsewhere = await serve(answer);
    const server = await serve({
      status: 302,
      headers: { location: elsewhere.origin },
      steps: [{ end: true }],
    });
    const response = await client({ environment: {} })(server.origin, get);
    expect(response.status).toBe(302);
    await response.body?.cancel();
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('rejects when its signal aborts, and closes the socket', async () => {
    const server = await serve({ silent: true, steps: [] });
    const stop = new AbortController();
    const pending = client({ environment: {} })(server.origin, { ...get, signal: stop.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    stop.abort();
    await expect(pending).rejects.toThrow();
    await server.whenQuiet();
  });

  it('refuses new requests once it is closed, and may be closed twice', async () => {
    const server = await serve(answer);
    const { http, close } = createHttpClient({ environment: {} });
    await close();
    await close();
    await expect(http(server.origin, get)).rejects.toThrow(/closed/);
  });
});

describe('proxies of the environment', () => {
  it('carry https through a tunnel, in which the key stays unread', async () => {
    const certificate = makeCertificate(2, 'provider.test');
    const server = await serve(answer, certificate);
    const proxy = await proxyTo(server.origin);
    const http = client({
      environment: { https_proxy: proxy.url },
      certificates: [certificate.cert],
    });
    const response = await http('https://provider.test/v1', {
      ...get,
      headers: { authorization: 'Bearer planted' },
    });
    expect(await response.text()).toBe('direct');
    expect(proxy.asked).toEqual(['CONNECT provider.test:443']);
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer planted');
  });

  it('do not weaken the check of the name on the certificate', async () => {
    const certificate = makeCertificate(2, 'another.test');
    const server = await serve(answer, certificate);
    const proxy = await proxyTo(server.origin);
    const http = client({
      environment: { https_proxy: proxy.url },
      certificates: [certificate.cert],
    });
    const error = await http('https://provider.test/', get).catch((caught: unknown) => caught);
    expect(networkError(error).code).toBe('tls_failed');
    expect(server.requests).toHaveLength(0);
  });

  it('carry http, except to hosts that NO_PROXY names', async () => {
    const server = await serve(answer);
    const proxy = await proxyTo(server.origin);
    const http = client({ environment: { HTTP_PROXY: proxy.url, NO_PROXY: 'other.invalid' } });
    const response = await http('http://provider.test/v1', get);
    expect(await response.text()).toBe('by proxy');
    await expect(http('http://other.invalid/', get)).rejects.toThrow();
    expect(proxy.asked).toEqual(['GET http://provider.test/v1']);
  });

  it('are not asked for servers on this computer', async () => {
    const server = await serve(answer);
    const proxy = await proxyTo(server.origin, 500);
    const http = client({ environment: { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url } });
    expect(await (await http(server.origin, get)).text()).toBe('direct');
    expect(proxy.asked).toEqual([]);
  });

  it.each([403, 407, 502])('that answer %i to a tunnel are named as the cause', async (status) => {
    const server = await serve(answer);
    const proxy = await proxyTo(server.origin, status);
    const http = client({ environment: { https_proxy: proxy.url } });
    const error = await http('https://provider.test/v1', get).catch((caught: unknown) => caught);
    expect(networkError(error).code).toBe('proxy_failed');
  });

  it('that ask a plain call for a password are named as the cause', async () => {
    const proxy = await proxyTo('http://127.0.0.1:1', 407);
    const error = await failureOf({ http_proxy: proxy.url }, 'http://provider.test/v1');
    expect(error.code).toBe('proxy_failed');
  });

  it.each([
    ['for https, at a closed port', { HTTPS_PROXY: 'http://127.0.0.1:9' }, 'https'],
    ['for http, at a closed port', { HTTP_PROXY: 'http://127.0.0.1:9' }, 'http'],
    ['under a name that nobody has', { HTTPS_PROXY: 'http://no-proxy.invalid:3128' }, 'https'],
    ['written without a scheme', { HTTPS_PROXY: '127.0.0.1:9' }, 'https'],
    ['that are one word', { HTTPS_PROXY: 'no-proxy.invalid' }, 'https'],
  ])('%s are named as the cause, and not the base URL', async (_how, environment, scheme) => {
    const error = await failureOf(environment, `${scheme}://provider.test/v1`);
    expect(error.code).toBe('proxy_failed');
    expect(error.message).toMatch(/proxy .*could not be reached/);
    expect(error.message).not.toMatch(/base URL/);
  });

  it.each(['http://', 'ftp://127.0.0.1', 'http://a b'])(
    'that are no address, like %j, are told apart',
    async (address) => {
      const error = await failureOf({ HTTPS_PROXY: address }, 'https://provider.test/v1');
      expect(error.code).toBe('proxy_failed');
      expect(error.message).toMatch(/http:\/\/host:port/);
    },
  );

  it('are not blamed for a server on this computer that is not there', async () => {
    const gone = await startScriptedServer(() => answer);
    await gone.close();
    const error = await failureOf({ HTTP_PROXY: 'http://127.0.0.1:9' }, gone.origin);
    expect(error.code).toBe('connection_refused');
  });

  async function failureOf(environment: Record<string, string>, url: string) {
    return networkError(await client({ environment })(url, get).catch((error: unknown) => error));
  }
});
