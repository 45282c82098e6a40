import type { Clock } from '../../contracts/ports.ts';

/** The machine's clock. A timer keeps the process alive: in a terminal it may be all that a run waits for. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}
