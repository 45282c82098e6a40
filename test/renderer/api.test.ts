import { createRouterClient } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { portOffer, portRequest } from '../../contracts/app/page-port.ts';
import { clientOver, ConnectError, connectToHost } from '../../renderer/api.ts';
import { FakeApp } from './fake/fake-app.ts';

describe('a client without a connection', () => {
  it('fails at once with an error that may be tried again', async () => {
    const error: unknown = await clientOver(() => null)
      .settings.get({})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectError);
    expect(error).toMatchObject({ code: 'not_connected', retryable: true });
  });
});

describe('a page in Electron', () => {
  let app: FakeApp;
  let posted: unknown[];
  const ports: MessagePort[] = [];

  /** The window message by which the preload hands the port over. */
  const offer = (data: unknown, source: unknown = window) => {
    const channel = new MessageChannel();
    ports.push(channel.port1, channel.port2);
    new RPCHandler(app.procedures()).upgrade(channel.port1, { context: {} });
    channel.port1.start();
    const event = new MessageEvent('message', { data });
    Object.defineProperties(event, {
      ports: { value: [channel.port2] },
      source: { value: source },
    });
    window.dispatchEvent(event);
  };

  beforeEach(() => {
    app = new FakeApp();
    posted = [];
    vi.stubGlobal('location', { ...location, protocol: 'app:', origin: 'app://bundle' });
    vi.spyOn(window, 'postMessage').mockImplementation(
      (...message: unknown[]) => void posted.push(message),
    );
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    ports.splice(0).forEach((port) => port.close());
  });

  it('asks for a port and talks to the app through it', async () => {
    app.seed('Over a port');
    const connecting = connectToHost();
    expect(posted).toEqual([[portRequest, 'app://bundle']]);
    offer(portOffer);
    const { link } = await connecting;
    const told = await clientOver(() => link).chat.list({});
    expect(told.conversations).toMatchObject([{ title: 'Over a port' }]);
    expect(told).toEqual(await createRouterClient(app.procedures()).chat.list({}));
  });

  it('takes no port from another window, and none without the agreed word', async () => {
    let isConnected = false;
    void connectToHost().then(() => (isConnected = true));
    offer(portOffer, {});
    offer('something else');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isConnected).toBe(false);
    offer(portOffer);
    await vi.waitFor(() => expect(isConnected).toBe(true));
  });
});
