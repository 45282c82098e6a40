import { ManualClock } from '../../../fakes/manual-clock.ts';

/** A manual clock with ways to wait until the code under test has come as far as it can. */
export class SettlingClock extends ManualClock {
  /** Lets everything that is ready run. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves when so many timers wait. */
  async whenTimers(count: number): Promise<void> {
    while (this.pendingTimers < count) await this.settled();
  }
}
