import type { Clock } from '../../contracts/ports.ts';

/**
 * Resolves after `ms`, or as soon as the signal aborts. It never rejects: the caller looks at the signal,
 * and no listener is left behind either way.
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const finish = (): void => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(ms, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}
