import { ConnectError, type Connection } from '../api.ts';
import type { Session } from './session.ts';

/** Milliseconds before attempt `n` (from 1): 0.25 s doubling to 8 s. */
export function retryDelayMs(attempt: number): number {
  return Math.min(8_000, 250 * 2 ** (attempt - 1));
}

/**
 * Connects, calls `onOpen`, and does so again whenever the connection ends, until `signal` aborts or only
 * a fresh address helps. `onOpen` gets a signal that aborts with its connection.
 */
export async function keepConnected(
  session: Session,
  onOpen: (live: AbortSignal) => void,
  signal: AbortSignal,
): Promise<void> {
  let attempt = 0;
  let hostEnded = false;
  while (!signal.aborted) {
    const opened = await tryConnect(session);
    if (opened === 'needs-address') return;
    if (opened !== 'unreachable') {
      attempt = 0;
      hostEnded = (await serve(session, opened, onOpen, signal)) === 'host-ended';
    }
    if (signal.aborted) return;
    attempt += 1;
    await waitForRetry(session, attempt, hostEnded);
  }
}

async function tryConnect(session: Session): Promise<Connection | 'unreachable' | 'needs-address'> {
  try {
    return await session.ports.connect();
  } catch (error) {
    if (error instanceof ConnectError && error.code === 'needs_address') {
      session.connection.setState({ phase: { state: 'needs-address' } });
      return 'needs-address';
    }
    return 'unreachable';
  }
}

async function serve(
  session: Session,
  connection: Connection,
  onOpen: (live: AbortSignal) => void,
  signal: AbortSignal,
): Promise<'lost' | 'host-ended'> {
  const live = new AbortController();
  const onAbort = () => connection.close();
  signal.addEventListener('abort', onAbort, { once: true });
  session.connection.setState({ phase: { state: 'open' }, connection, wasOpen: true });
  onOpen(live.signal);
  const end = await connection.closed;
  signal.removeEventListener('abort', onAbort);
  session.connection.setState({ connection: null });
  live.abort();
  return end;
}

function waitForRetry(session: Session, attempt: number, hostEnded: boolean): Promise<void> {
  const delayMs = retryDelayMs(attempt);
  return new Promise((resolve) => {
    const go = () => {
      cancel();
      session.connection.setState({ retryNow: null });
      resolve();
    };
    const cancel = session.ports.after(delayMs, go);
    session.connection.setState({
      phase: { state: 'lost', attempt, retryAt: session.ports.now() + delayMs, hostEnded },
      retryNow: go,
    });
  });
}
