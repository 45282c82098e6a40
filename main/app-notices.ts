import type { Notice } from '../contracts/app/settings.ts';
import { toFailure } from '../contracts/failure.ts';

/** Most notices of problems kept; the oldest go first. */
const limit = 100;

/** What a person should know of this start, gathered from every service. Each thing is said once. */
export class Notices {
  readonly #sources: { readonly notices: readonly Notice[] }[] = [];
  #problems: Notice[] = [];

  /** Takes in what services have to say, now and later. */
  include(...sources: readonly { readonly notices: readonly Notice[] }[]): void {
    this.#sources.push(...sources);
  }

  add({ code, message }: Notice): void {
    this.#problems = [...this.#problems, { code, message }].slice(-limit);
  }

  /** A problem that ends nothing. */
  addProblem(error: unknown): void {
    this.add(toFailure(error));
  }

  list(): Notice[] {
    const said = [...this.#sources.flatMap(({ notices }) => notices), ...this.#problems];
    return [...new Map(said.map((notice) => [notice.message, notice])).values()];
  }
}
