import type { Connection } from '../api.ts';

/** What the page needs of its surroundings. */
export interface SessionPorts {
  readonly connect: () => Promise<Connection>;
  /** Calls back once before the next paint; in a hidden page, a little later. Returns the cancelling. */
  readonly scheduleFrame: (callback: () => void) => () => void;
  /** Calls back once after `ms`. Returns the cancelling. */
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly now: () => number;
  /** Small texts that must be there before the first answer of the host: theme, unsent first message. */
  readonly memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}
