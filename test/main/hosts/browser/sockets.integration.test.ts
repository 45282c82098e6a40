import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { defaultSocketLimits } from '../../../../main/hosts/browser/sockets.ts';
import { openSocket, startHost, type HostUnderTest } from './host-under-test.ts';

const limits = {
  ...defaultSocketLimits,
  messageBytes: 10_000,
  sockets: 3,
  openCalls: 8,
  waitingBytes: 256 * 1024,
};

let host: HostUnderTest;
let page: { cookie: string; secret: string };
beforeEach(async () => {
  host = await startHost(limits);
  page = await host.enter();
});
afterEach(() => host.close());

/** A page's socket, let in. */
async function openPage(): Promise<WebSocket> {
  const socket = await openSocket(host, page);
  if (typeof socket === 'number') throw new Error(`refused: ${socket}`);
  return socket;
}

/** Sends a call in oRPC's wire form: id, path, input. */
function call(socket: WebSocket, id: string, path: string, input?: unknown): void {
  socket.send(JSON.stringify({ i: id, p: { u: path, b: { json: input } } }));
}

/** The next message of a socket. */
async function answer(socket: WebSocket): Promise<{ i: string; p: { s?: number; b: unknown } }> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return JSON.parse(data.toString('utf8'));
}

async function closeCode(socket: WebSocket): Promise<number> {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

describe('a socket is refused before it exists', () => {
  it('without the cookie', async () => {
    expect(await openSocket(host, { secret: page.secret })).toBe(401);
  });

  it('without the page secret, or with a wrong one', async () => {
    expect(await openSocket(host, { cookie: page.cookie })).toBe(403);
    expect(await openSocket(host, { cookie: page.cookie, secret: 'C'.repeat(43) })).toBe(403);
  });

  it('with the secret of another session', async () => {
    const other = await host.enter();
    expect(await openSocket(host, { cookie: page.cookie, secret: other.secret })).toBe(403);
  });

  it('with the page secret and no protocol that is spoken here', async () => {
    const protocols = [`trinity.page.${page.secret}`];
    expect(await openSocket(host, { cookie: page.cookie, protocols })).toBe(400);
  });

  it('from a foreign origin or to a foreign host', async () => {
    expect(await openSocket(host, page, { origin: 'http://evil.example' })).toBe(403);
    expect(await openSocket(host, page, { origin: `http://localhost:${host.server.port}` })).toBe(
      403,
    );
    expect(await openSocket(host, page, { hostHeader: 'evil.example' })).toBe(421);
  });

  it('without any origin', async () => {
    expect(await openSocket(host, page, { origin: null })).toBe(403);
  });

  it('at another path', async () => {
    expect(await openSocket(host, page, { path: '/' })).toBe(404);
    expect(await openSocket(host, page, { path: '/rpc/..%2f' })).toBe(404);
  });

  it('beyond the limit of open pages, until one of them leaves', async () => {
    const open = [await openPage(), await openPage(), await openPage()];
    expect(await openSocket(host, page)).toBe(503);
    open[0]!.close();
    await closeCode(open[0]!);
    await expect.poll(() => openSocket(host, page), { timeout: 10_000 }).not.toBe(503);
  });
});

describe('a page of ours', () => {
  it('calls procedures, and never hears its secret in the chosen protocol', async () => {
    const socket = await openPage();
    expect(socket.protocol).toBe('trinity.v1');
    call(socket, '1', '/echo', { text: 'grüße' });
    expect(await answer(socket)).toEqual({ i: '1', p: { b: { json: { text: 'grüße' } } } });
  });

  it('is told of a procedure that does not exist, and goes on', async () => {
    const socket = await openPage();
    for (const path of ['/keys/reveal', '/constructor', '/__proto__', '/toString', '/echo/x']) {
      call(socket, path, path, {});
      expect(await answer(socket), path).toMatchObject({ i: path, p: { s: 404 } });
    }
    call(socket, '2', '/echo', { text: 'still here' });
    expect(await answer(socket)).toMatchObject({ i: '2' });
  });

  it('is told of an input of the wrong form', async () => {
    const socket = await openPage();
    call(socket, '1', '/echo', { text: 5 });
    expect(await answer(socket)).toMatchObject({ i: '1', p: { s: 400 } });
  });

  it('is cut off by a message above the limit', async () => {
    const socket = await openPage();
    call(socket, '1', '/echo', { text: 'x'.repeat(20_000) });
    expect(await closeCode(socket)).toBe(1009);
  });

  it.each([
    ['no JSON', 'hello'],
    ['no call', '{"a":1}'],
    ['null', 'null'],
    ['bytes', Buffer.from('{"i":"1"}')],
  ])('is cut off by a message that is %s', async (_name, message) => {
    const socket = await openPage();
    socket.send(message);
    expect(await closeCode(socket)).toBe(1008);
  });

  it('survives a call whose inside is broken', async () => {
    const socket = await openPage();
    for (const inside of [{}, { u: 5 }, { u: '/echo', h: 'x' }, { u: 'http://[' }, null]) {
      socket.send(JSON.stringify({ i: 'x', p: inside }));
    }
    const answered: string[] = [];
    socket.on('message', (data: Buffer) => answered.push(JSON.parse(data.toString('utf8')).i));
    call(socket, '2', '/echo', { text: 'still here' });
    await expect.poll(() => answered, { timeout: 10_000 }).toContain('2');
  });

  it('is cut off by more open calls than a page needs', async () => {
    const socket = await openPage();
    for (let id = 0; id < 9; id += 1) call(socket, String(id), '/never', {});
    expect(await closeCode(socket)).toBe(1008);
  });

  it('is told that the host ends', async () => {
    const socket = await openPage();
    const code = closeCode(socket);
    await host.close();
    expect(await code).toBe(1001);
  });
});

/** Blocks of the flood, 64 MiB in all: more than any system's buffers of one connection take. */
const blocksBeyondBuffers = 1_024;

describe('a page that goes', () => {
  it('ends its streams that have nothing to say', async () => {
    const socket = await openPage();
    call(socket, 'idle', '/idle', {});
    await answer(socket);
    socket.terminate();
    await expect.poll(() => host.seen.endedStreams, { timeout: 10_000 }).toBe(1);
  });
});

describe('a page that stops reading', () => {
  it('stops its own stream, slows nobody, and its stream ends with its socket', async () => {
    const stalled = await openPage();
    const lively = await openPage();
    call(stalled, 'flood', '/flood', {});
    await answer(stalled);
    stalled.pause();

    // The system's buffers fill; then the producer stands still for as long as the other page is served.
    let standingAt: number;
    do {
      standingAt = host.seen.streamed;
      expect(standingAt).toBeLessThan(blocksBeyondBuffers);
      for (let id = 0; id < 200; id += 1) {
        call(lively, String(id), '/echo', { text: 'quick' });
        expect(await answer(lively)).toMatchObject({ i: String(id) });
      }
    } while (host.seen.streamed !== standingAt);

    // Reading again, it goes on from where it stood.
    stalled.resume();
    await expect.poll(() => host.seen.streamed, { timeout: 10_000 }).toBeGreaterThan(standingAt);
    stalled.terminate();
    await expect.poll(() => host.seen.endedStreams, { timeout: 10_000 }).toBe(1);
  });
});

describe('a page that answers no ping', () => {
  it('is cut off, and one that does stays', async () => {
    await host.close();
    host = await startHost({ ...limits, silenceMs: 400 });
    page = await host.enter();
    const asleep = await openPage();
    const awake = await openPage();
    asleep.pause();
    const ended = once(asleep, 'close');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    asleep.resume();
    await ended;
    call(awake, '1', '/echo', { text: 'here' });
    expect(await answer(awake)).toMatchObject({ i: '1' });
  });
});
