import { extname } from 'node:path';

/**
 * Where the traces of a chat go: the file that was named for the first run, numbered files beside it for
 * the runs after it, because a trace holds one run.
 */
export class TraceFiles {
  #path: string | null | undefined;
  #runs = 0;

  /** @param path a file; null for no trace; undefined for what the settings say */
  constructor(path: string | null | undefined) {
    this.#path = path;
  }

  /** In words, for a person. */
  describe(): string {
    if (this.#path === null) return 'Runs are not traced.';
    if (this.#path === undefined) return 'Runs are traced as the settings say.';
    return `The next run is traced to ${this.#numbered(this.#path, this.#runs + 1)}.`;
  }

  use(path: string | null | undefined): void {
    this.#path = path;
    this.#runs = 0;
  }

  /** The file of the run that starts now. */
  next(): string | null | undefined {
    if (this.#path === null || this.#path === undefined) return this.#path;
    this.#runs += 1;
    return this.#numbered(this.#path, this.#runs);
  }

  #numbered(path: string, run: number): string {
    if (run === 1) return path;
    const extension = extname(path);
    return `${path.slice(0, path.length - extension.length)}-${run}${extension}`;
  }
}
