import type { ClientLink } from '@orpc/client';
import { createRouterClient } from '@orpc/server';
import { vi } from 'vitest';
import type { Connection } from '../../../renderer/api.ts';
import { ConnectError } from '../../../renderer/api.ts';
import { begin } from '../../../renderer/stores/begin.ts';
import { createSession, type Session } from '../../../renderer/stores/session.ts';
import type { FakeApp } from './fake-app.ts';

/** Callbacks that wait until a test runs them. */
class Waiting {
  #callbacks = new Set<() => void>();

  add(callback: () => void): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  get size(): number {
    return this.#callbacks.size;
  }

  run(): void {
    const due = [...this.#callbacks];
    this.#callbacks.clear();
    for (const callback of due) callback();
  }
}

export interface TestPage {
  readonly session: Session;
  readonly frames: Waiting;
  readonly timers: Waiting;
  readonly memory: Map<string, string>;
  /** Ends the connection, as a lost socket does. */
  cut(): void;
  /** What the next connection attempt meets. */
  host: 'there' | 'away' | 'needs-address';
  /** Connects, and nothing else: no store is filled, nothing is followed. */
  connect(): Promise<void>;
  /** Starts to connect and waits for nothing. */
  start(): void;
  /** Connects and waits for the first answers. */
  begin(): Promise<void>;
  /** Runs frames and timers until a condition holds. */
  until(condition: () => void): Promise<void>;
  close(): void;
}

/** A page over a fake app without any transport, whose frames and timers a test runs by hand. */
export function testPage(app: FakeApp, memory = new Map<string, string>()): TestPage {
  const frames = new Waiting();
  const timers = new Waiting();
  const life = new AbortController();
  let cut = () => {};
  const connect = (): Promise<Connection> => {
    if (page.host === 'away') return Promise.reject(new ConnectError('unreachable', 'Away.'));
    if (page.host === 'needs-address') {
      return Promise.reject(new ConnectError('needs_address', 'No secret.'));
    }
    const ended = new AbortController();
    const closed = new Promise<'lost'>((resolve) => {
      cut = () => {
        ended.abort(new Error('The socket closed.'));
        resolve('lost');
      };
    });
    return Promise.resolve({ link: linkTo(app, ended.signal), closed, close: () => cut() });
  };
  const session = createSession({
    connect,
    scheduleFrame: (callback) => frames.add(callback),
    after: (_ms, callback) => timers.add(callback),
    now: () => Date.UTC(2026, 10, 30, 12),
    memory: {
      getItem: (key) => memory.get(key) ?? null,
      setItem: (key, value) => void memory.set(key, value),
      removeItem: (key) => void memory.delete(key),
    },
  });
  const page: TestPage = {
    session,
    frames,
    timers,
    memory,
    host: 'there',
    cut: () => cut(),
    connect: async () => session.connection.setState({ connection: await connect() }),
    start: () => void begin(session, life.signal),
    begin: async () => {
      page.start();
      await page.until(() => {
        if (session.settings.getState().settings === null) throw new Error('Still connecting.');
        if (session.conversations.getState().phase === 'loading') throw new Error('Still listing.');
      });
    },
    until: (condition) =>
      vi.waitFor(
        () => {
          frames.run();
          timers.run();
          condition();
        },
        { timeout: 10_000, interval: 5 },
      ),
    close: () => life.abort(),
  };
  return page;
}

/** Calls the app's procedures directly. Everything that is open ends with the connection's signal. */
function linkTo(app: FakeApp, ended: AbortSignal): ClientLink<Record<never, never>> {
  const client = createRouterClient(app.procedures());
  return {
    call: async (path, input, options) => {
      ended.throwIfAborted();
      const procedure = path.reduce<unknown>(
        (node, key) => (node as Record<string, unknown>)[key],
        client,
      ) as (input: unknown, options: object) => Promise<unknown>;
      const signals = [ended, ...(options.signal === undefined ? [] : [options.signal])];
      return procedure(input, { signal: AbortSignal.any(signals) });
    },
  };
}
