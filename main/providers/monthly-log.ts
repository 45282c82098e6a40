import { appendFile, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { z } from 'zod';
import type { Clock } from '../../contracts/ports.ts';

/**
 * Records kept as one JSON line each, in one file a month (UTC): `<folder>/2026-11.jsonl`, mode 0600.
 * Lines are only ever added, so that several programs can write beside each other and a crash costs at
 * most the line it cut. A line that cannot be read is passed over.
 */
export class MonthlyLog<Line> {
  readonly #folder: string;
  readonly #schema: z.ZodType<Line>;
  readonly #clock: Clock;
  readonly #onProblem: (error: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #reading: Promise<unknown> = Promise.resolve();
  #given = { month: '', bytes: 0 };

  /** @param onProblem told once for every line that could not be written; calls go on */
  constructor(
    folder: string,
    schema: z.ZodType<Line>,
    clock: Clock,
    onProblem: (error: unknown) => void,
  ) {
    this.#folder = folder;
    this.#schema = schema;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  /** Adds a line; lines are written in the order in which they were added. */
  append(line: Line): void {
    const path = this.#path(this.#month());
    this.#last = this.#last
      .then(async () => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        // A leading line break closes a line that a crash cut; readers skip the empty lines it makes.
        await appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
      })
      .catch(this.#onProblem);
  }

  /** The lines of a month (`YYYY-MM`; by default this one), in order. */
  async read(month = this.#month()): Promise<Line[]> {
    await this.#last;
    let text: string;
    try {
      text = await readFile(this.#path(month), 'utf8');
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
    return text.split('\n').flatMap((line) => this.#parse(line));
  }

  /**
   * The whole lines of this month's file that no earlier call has given, in order: this program's and
   * those that another one has written beside it. Costs one look at the file when there are none.
   */
  readNew(): Promise<Line[]> {
    const next = this.#reading.then(() => this.#readNew());
    this.#reading = next.catch(() => undefined);
    return next;
  }

  /** Resolves when every line so far is written. */
  async flush(): Promise<void> {
    await this.#last;
  }

  async #readNew(): Promise<Line[]> {
    const month = this.#month();
    if (this.#given.month !== month) this.#given = { month, bytes: 0 };
    const added = await readFrom(this.#path(month), this.#given.bytes);
    // A line that is still being written has no line break yet: it is given when it has one.
    const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
    this.#given.bytes += whole.byteLength;
    return whole
      .toString('utf8')
      .split('\n')
      .flatMap((line) => this.#parse(line));
  }

  #parse(line: string): Line[] {
    if (line.trim() === '') return [];
    try {
      const parsed = this.#schema.safeParse(JSON.parse(line));
      return parsed.success ? [parsed.data] : [];
    } catch {
      return [];
    }
  }

  #month(): string {
    return monthOf(this.#clock.now());
  }

  #path(month: string): string {
    return join(this.#folder, `${month}.jsonl`);
  }
}

/** Calendar month of a time, in UTC: `2026-11`. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** Bytes of a file from an offset on; none when it is absent. */
async function readFrom(path: string, offset: number): Promise<Buffer> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.alloc(Math.max(0, size - offset));
      const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, offset);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isAbsent(error)) return Buffer.alloc(0);
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
