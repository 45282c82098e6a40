import { describe, expect, it, vi } from 'vitest';
import { portOffer, portRequest } from '../../contracts/app/page-port.ts';

const electron = vi.hoisted(() => ({
  sent: [] as string[],
  listeners: new Map<string, (event: { ports: unknown[] }) => void>(),
}));
vi.mock('electron', () => ({
  ipcRenderer: {
    send: (channel: string) => electron.sent.push(channel),
    on: (channel: string, listener: (event: { ports: unknown[] }) => void) =>
      electron.listeners.set(channel, listener),
  },
}));

await import('../../preload/index.ts');

/** A window message with its source, which `postMessage` of the test's window does not set. */
function windowMessage(data: unknown, source: unknown = window): void {
  const event = new MessageEvent('message', { data });
  Object.defineProperty(event, 'source', { value: source });
  window.dispatchEvent(event);
}

describe('the preload', () => {
  it('passes on the request of its own page, and nothing else', () => {
    windowMessage('something else');
    windowMessage(portRequest, {});
    expect(electron.sent).toEqual([]);
    windowMessage(portRequest);
    expect(electron.sent).toEqual([portRequest]);
  });

  it('hands the port to its own page alone', () => {
    const posted = vi.spyOn(window, 'postMessage').mockImplementation(() => undefined);
    const port = { port: 1 };
    electron.listeners.get(portOffer)!({ ports: [port] });
    expect(posted).toHaveBeenCalledWith(portOffer, window.location.origin, [port]);
  });
});
