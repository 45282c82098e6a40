import { describe, expect, it } from 'vitest';
import { pageSecretHeader, pageSecretKey } from '../../contracts/app/handshake.ts';
import {
  findPageSecret,
  forgetPageSecret,
  judgePageSecret,
  tellPageSecret,
  type PageSecretPlaces,
} from '../../renderer/page-secret.ts';

const secret = 'a'.repeat(43);

/** A tab: its own session storage, and the channel that all tabs of one origin share. */
function tab(
  channelName: string,
  stored?: string,
): PageSecretPlaces & { kept: Map<string, string> } {
  const kept = new Map<string, string>(stored === undefined ? [] : [[pageSecretKey, stored]]);
  return {
    kept,
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    openChannel: () => new BroadcastChannel(channelName),
  };
}

describe('the page secret of a tab', () => {
  it('is read from session storage without asking anyone', async () => {
    expect(await findPageSecret(tab('first', secret), 20)).toBe(secret);
  });

  it('comes from an open tab, and is kept for the next time', async () => {
    const stop = tellPageSecret(tab('second', secret));
    const newcomer = tab('second');
    expect(await findPageSecret(newcomer, 5_000)).toBe(secret);
    expect(newcomer.kept.get(pageSecretKey)).toBe(secret);
    stop();
  });

  it('is null when no tab answers, and nothing is kept', async () => {
    const newcomer = tab('third');
    expect(await findPageSecret(newcomer, 20)).toBeNull();
    expect(newcomer.kept.size).toBe(0);
  });

  it('is not taken from a message of another form', async () => {
    const channel = new BroadcastChannel('fourth');
    channel.onmessage = () => channel.postMessage({ kind: 'tell', secret: '<script>' });
    expect(await findPageSecret(tab('fourth'), 50)).toBeNull();
    channel.close();
  });

  it('is never told by a tab that has none', async () => {
    const stop = tellPageSecret(tab('fifth'));
    expect(await findPageSecret(tab('fifth'), 50)).toBeNull();
    stop();
  });

  it('that is forgotten is asked for again', async () => {
    const stop = tellPageSecret(tab('sixth', secret));
    const stale = tab('sixth', 'b'.repeat(43));
    forgetPageSecret(stale);
    expect(await findPageSecret(stale, 5_000)).toBe(secret);
    stop();
  });

  it.each([
    [200, 'good'],
    [403, 'stale'],
    [401, 'out'],
    [500, 'unknown'],
  ])('is judged by the host: %i means %s', async (status, judgement) => {
    const asked: RequestInit[] = [];
    const ask = (_url: unknown, options: RequestInit = {}) => {
      asked.push(options);
      return Promise.resolve(new Response(null, { status }));
    };
    expect(await judgePageSecret(secret, ask as typeof fetch)).toBe(judgement);
    expect(asked[0]?.headers).toEqual({ [pageSecretHeader]: secret });
  });

  it('is not judged by a host that does not answer', async () => {
    const ask = () => Promise.reject(new TypeError('failed to fetch'));
    expect(await judgePageSecret(secret, ask as typeof fetch)).toBe('unknown');
  });
});
