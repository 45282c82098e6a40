import type { Net, Session } from 'electron';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../../../../contracts/ports.ts';
import { createNetHttpClient } from '../../../../main/hosts/electron/net-http-client.ts';
import { electronState, FakeSession, net, resetElectron } from '../../../fakes/electron.ts';

const session = new FakeSession('provider-calls');
let http: HttpClient;
let abort: AbortController;
beforeEach(() => {
  resetElectron();
  abort = new AbortController();
  http = createNetHttpClient(net as unknown as Net, session as unknown as Session);
});

const post = () =>
  http('https://api.example.com/v1', {
    method: 'POST',
    headers: { authorization: 'Bearer k' },
    body: '{}',
    signal: abort.signal,
  });
const lastRequest = () => electronState().requests.at(-1)!;

describe('a call over the network stack of Electron', () => {
  it('carries headers and body, and no cookies, cache, credentials or referrer', async () => {
    const pending = post();
    expect(lastRequest().options).toMatchObject({
      method: 'POST',
      url: 'https://api.example.com/v1',
      headers: { authorization: 'Bearer k' },
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      session,
    });
    expect(lastRequest()).toMatchObject({ written: '{}', isEnded: true });
    lastRequest().answer(200, { 'x-request-id': 'r', 'x-two': ['a', 'b'] }, ['one', 'two']);
    const response = await pending;
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toBe('r');
    expect(response.headers.get('x-two')).toBe('a, b');
    expect(await response.text()).toBe('onetwo');
  });

  it('hands back a redirect and does not follow it', async () => {
    const pending = post();
    lastRequest().emit('redirect', 307, 'POST', 'https://evil.example/', {
      location: ['https://evil.example/'],
    });
    const response = await pending;
    expect([response.status, response.headers.get('location')]).toEqual([
      307,
      'https://evil.example/',
    ]);
    expect(lastRequest().isAborted).toBe(true);
  });

  it('hands back a response that may have no body', async () => {
    const pending = post();
    lastRequest().answer(204, {}, []);
    expect((await pending).body).toBeNull();
  });

  it('rejects with the network error', async () => {
    const pending = post();
    lastRequest().emit('error', new Error('net::ERR_CONNECTION_REFUSED'));
    await expect(pending).rejects.toThrow('ERR_CONNECTION_REFUSED');
  });

  it('breaks a body off when the network does', async () => {
    const pending = post();
    lastRequest().answer(200, {}, ['one']);
    const response = await pending;
    lastRequest().emit('error', new Error('net::ERR_CONNECTION_RESET'));
    await expect(response.text()).rejects.toThrow('ERR_CONNECTION_RESET');
  });

  it('is aborted before the answer', async () => {
    const pending = post();
    abort.abort(new Error('stopped'));
    await expect(pending).rejects.toThrow('stopped');
    expect(lastRequest().isAborted).toBe(true);
  });

  it('is aborted in the middle of the body', async () => {
    const pending = post();
    lastRequest().answer(200, {}, ['one']);
    const response = await pending;
    abort.abort(new Error('stopped'));
    await expect(response.text()).rejects.toThrow('stopped');
    expect(lastRequest().isAborted).toBe(true);
  });

  it('does not start when it is aborted already', () => {
    abort.abort(new Error('stopped'));
    expect(post).toThrow('stopped');
    expect(electronState().requests).toEqual([]);
  });
});
