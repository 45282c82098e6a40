import type { Notice } from '../contracts/app/settings.ts';
import { toFailure } from '../contracts/failure.ts';

/** Most notices kept; the oldest go first. */
const limit = 100;

/** What a person should know of this start, gathered from every service. Each thing is said once. */
export class Notices {
  #notices: Notice[] = [];

  add(notice: Notice): void {
    const isKnown = this.#notices.some(
      ({ code, message }) => code === notice.code && message === notice.message,
    );
    if (!isKnown) this.#notices = [...this.#notices, notice].slice(-limit);
  }

  /** A problem that ends nothing. */
  addProblem(error: unknown): void {
    const { code, message } = toFailure(error);
    this.add({ code, message });
  }

  list(): Notice[] {
    return [...this.#notices];
  }
}
