import { afterEach, describe, expect, it, vi } from 'vitest';
import { parentChannel } from '../../../model-runtime/process/parent-channel.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('parentChannel', () => {
  it("speaks through Electron's port where there is one", () => {
    const sent: unknown[] = [];
    let deliver: (event: { data: unknown }) => void = () => undefined;
    const parentPort = {
      postMessage: (message: unknown) => sent.push(message),
      on: (_: string, listener: typeof deliver) => (deliver = listener),
    };
    vi.stubGlobal('process', { ...process, parentPort });
    const channel = parentChannel();
    const received: unknown[] = [];
    channel.onMessage((message) => received.push(message));
    channel.post({ type: 'ready' });
    deliver({ data: { type: 'load' } });
    expect(sent).toEqual([{ type: 'ready' }]);
    expect(received).toEqual([{ type: 'load' }]);
  });

  it("speaks through Node's channel else, and says nothing when the parent has gone", () => {
    const sent: unknown[] = [];
    const child = {
      connected: true,
      send: (message: unknown) => sent.push(message),
      on: () => undefined,
    };
    vi.stubGlobal('process', child);
    const channel = parentChannel();
    channel.post(1);
    child.connected = false;
    channel.post(2);
    expect(sent).toEqual([1]);
  });

  it('refuses to be started by hand', () => {
    vi.stubGlobal('process', { send: undefined });
    expect(() => parentChannel()).toThrow(/not by hand/);
  });
});
