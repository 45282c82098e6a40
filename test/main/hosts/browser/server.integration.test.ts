import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enterPath, pageSecretHeader, sessionPath } from '../../../../contracts/app/handshake.ts';
import { startHost, type HostUnderTest } from './host-under-test.ts';

let host: HostUnderTest;
let cookie: string;
let secret: string;
beforeAll(async () => {
  host = await startHost();
  ({ cookie, secret } = await host.enter());
});
afterAll(() => host.close());

describe('coming in', () => {
  it('is refused without a token: the page is not shown, only how to get an address', async () => {
    const reply = await host.get('/');
    expect(reply.status).toBe(401);
    expect(reply.body).toContain('one-time address');
    expect((await host.get('/assets/app-1a2b.js')).status).toBe(401);
  });

  it('shows the door, whose policy names its script and style by their hashes', async () => {
    const reply = await host.get(enterPath);
    expect(reply.status).toBe(200);
    const policy = String(reply.headers['content-security-policy']);
    expect(policy).toMatch(/script-src 'sha256-/);
    expect(policy).toMatch(/style-src 'sha256-/);
    expect(policy).not.toContain('unsafe');
  });

  it.each(['wrong', 'A'.repeat(43), ''])('is refused with the wrong token %j', async (token) => {
    const reply = await host.post(sessionPath, JSON.stringify({ token }));
    expect(reply.status).toBe(401);
    expect(reply.headers['set-cookie']).toBeUndefined();
    expect(reply.body).not.toContain('secret');
  });

  it('works once a token: a cookie that scripts and other sites never see, and a page secret', async () => {
    const body = JSON.stringify({ token: host.token() });
    const first = await host.post(sessionPath, body);
    expect(first.status).toBe(200);
    const [setCookie = ''] = first.headers['set-cookie'] ?? [];
    expect(setCookie).toMatch(/HttpOnly/);
    expect(setCookie).toMatch(/SameSite=Strict/);
    expect(setCookie).toContain(`trinity_${host.server.port}=`);
    expect(setCookie).not.toContain(JSON.parse(first.body).secret);
    expect((await host.post(sessionPath, body)).status).toBe(401);
  });

  it('leaves a browser that is in already with its cookie, so that its open pages stay in', async () => {
    const again = await host.post(sessionPath, JSON.stringify({ token: host.token() }), { cookie });
    expect(JSON.parse(again.body)).toEqual({ secret });
    expect(again.headers['set-cookie']?.[0]).toContain(cookie);
  });

  it('tells a browser that is in that its spent address is no loss', async () => {
    const reply = await host.post(sessionPath, '{}', { cookie });
    expect([reply.status, JSON.parse(reply.body)]).toEqual([401, { isKnown: true }]);
  });

  it('tells a page whose socket was refused whether it is in, stale or out', async () => {
    const ask = async (headers: Record<string, string>) =>
      (await host.get(sessionPath, headers)).status;
    expect(await ask({ cookie, [pageSecretHeader]: secret })).toBe(200);
    expect(await ask({ cookie, [pageSecretHeader]: 'D'.repeat(43) })).toBe(403);
    expect(await ask({ cookie })).toBe(403);
    expect(await ask({ [pageSecretHeader]: secret })).toBe(401);
  });

  it('does not read a body longer than a token', async () => {
    await expect(
      host.post(sessionPath, JSON.stringify({ token: 'x'.repeat(100_000) })),
    ).rejects.toThrow();
  });
});

describe('a foreign address', () => {
  it.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1:1', '[::1]'])(
    'Host %s is misdirected, cookie or not',
    async (name) => {
      expect((await host.get('/', { cookie, host: name })).status).toBe(421);
      expect((await host.get(enterPath, { host: name })).status).toBe(421);
    },
  );

  it('an Origin that is not exactly ours is refused', async () => {
    const port = host.server.port;
    for (const origin of [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
      `http://localhost:${port}`,
    ]) {
      expect((await host.get('/', { cookie, origin })).status, origin).toBe(403);
      const reply = await host.post(sessionPath, JSON.stringify({ token: host.token() }), {
        origin,
      });
      expect(reply.status, origin).toBe(403);
    }
  });

  it('another port of this host may lead here and may not embed or fetch', async () => {
    const embedded = { cookie, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' };
    expect((await host.get('/assets/app-1a2b.js', embedded)).status).toBe(403);
    expect((await host.get('/', { ...embedded, 'sec-fetch-mode': 'navigate' })).status).toBe(200);
  });

  it('localhost is ours as well', async () => {
    const name = `localhost:${host.server.port}`;
    expect((await host.get('/', { cookie, host: name, origin: `http://${name}` })).status).toBe(
      200,
    );
  });
});

describe('a mutation over HTTP', () => {
  it('needs the page secret beside the cookie, and is then still not allowed', async () => {
    expect((await host.post('/anything', '')).status).toBe(401);
    expect((await host.post('/anything', '', { cookie })).status).toBe(403);
    const wrong = { cookie, [pageSecretHeader]: 'B'.repeat(43) };
    expect((await host.post('/anything', '', wrong)).status).toBe(403);
    const right = { cookie, [pageSecretHeader]: secret };
    expect((await host.post('/anything', '', right)).status).toBe(405);
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const reply = await host.get('/', { cookie, origin: host.origin }, method);
      expect(reply.status, method).toBe(403);
    }
  });
});

describe('the page', () => {
  it('comes with its headers', async () => {
    const reply = await host.get('/', { cookie });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const policy = String(reply.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("img-src 'self' data:;");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
  });

  it('keeps files whose names carry a hash, and answers HEAD without a body', async () => {
    const reply = await host.get('/assets/app-1a2b.js', { cookie }, 'HEAD');
    expect(reply.headers['cache-control']).toContain('immutable');
    expect(reply.headers['content-length']).toBe('10');
    expect(reply.body).toBe('');
  });

  it('has no other files', async () => {
    for (const path of ['/nothing', '/assets', '/assets/', '/index.html/x']) {
      expect((await host.get(path, { cookie })).status, path).toBe(404);
    }
  });

  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/%2E%2E%2Fsecret.txt',
    '/..%2fsecret.txt',
    '/assets%2f..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%252e%252e/secret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/./index.html',
    '//etc/passwd',
    '/index.html%00.js',
    '/C:/secret.txt',
    '/%',
  ])('refuses the path %s', async (path) => {
    const reply = await host.get(path, { cookie });
    expect(reply.status).toBe(400);
    expect(reply.body).not.toContain('secret');
  });

  it('refuses a path in absolute form', async () => {
    const reply = await host.get(`http://127.0.0.1:${host.server.port}/index.html`, { cookie });
    expect(reply.status).toBe(400);
  });
});

describe('the server', () => {
  it('listens on loopback only', async () => {
    const socket = connect({ host: '127.0.0.2', port: host.server.port });
    const outcome = await new Promise((resolve) => {
      socket.on('connect', () => resolve('connected'));
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
    socket.destroy();
    expect(outcome).not.toBe('connected');
  });

  it('admits the host and origin of a tunnel that a person allowed, and nothing like it', async () => {
    const tunnelled = await startHost(undefined, ['https://box.example:8443']);
    try {
      const token = JSON.stringify({ token: tunnelled.token() });
      const through = { host: 'box.example:8443', origin: 'https://box.example:8443' };
      expect(
        (await tunnelled.post(sessionPath, token, { ...through, host: 'box.example' })).status,
      ).toBe(421);
      const reply = await tunnelled.post(sessionPath, token, through);
      expect(reply.status).toBe(200);
      expect(reply.headers['set-cookie']?.[0]).toContain('Secure');
    } finally {
      await tunnelled.close();
    }
  });

  it.each(['box.example', 'ftp://box', 'https://box/path', 'https://user@box', '*'])(
    'refuses to allow %j, which is no origin',
    async (origin) => {
      await expect(startHost(undefined, [origin])).rejects.toMatchObject({ code: 'usage' });
    },
  );
});
