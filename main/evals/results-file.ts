import { open, type FileHandle } from 'node:fs/promises';
import {
  evalLineSchema,
  type EvalCaseError,
  type EvalCaseResult,
  type EvalHeader,
  type EvalLine,
  type EvalSummary,
} from '../../contracts/evals.ts';
import { EvalError } from './eval-error.ts';
import { readLines } from './line-reader.ts';

/** Bytes of one line of a results file. */
export const maxResultLineBytes = 2 ** 20;

export type CaseLine = EvalCaseResult | EvalCaseError;

/** How far a results file can be gone on with. */
export interface ResumePoint {
  /** Bytes that stay; what lies behind them is a summary, a torn line, or a line that came twice. */
  readonly goodBytes: number;
  readonly hasHeader: boolean;
  readonly done: readonly CaseLine[];
}

/**
 * Appends the lines of one evaluation. A line is written whole before `append` resolves and reaches the
 * disk at the latest with the summary; a kill leaves at most one torn line at the end.
 */
export class ResultsWriter {
  readonly #file: FileHandle;
  readonly #path: string;
  /** Bytes of the file as far as this writer knows; more means that another process writes to it. */
  #bytes: number;
  #isClosed = false;

  private constructor(file: FileHandle, path: string, bytes: number) {
    this.#file = file;
    this.#path = path;
    this.#bytes = bytes;
  }

  /**
   * Starts a results file.
   *
   * @throws EvalError `results_mismatch` when the file exists: nothing is overwritten; `cannot_write`
   */
  static async create(path: string, header: EvalHeader): Promise<ResultsWriter> {
    const file = await open(path, 'ax', 0o600).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST'
        ? new EvalError('results_mismatch', `${path} exists. Resume it, or name another file.`, {
            cause,
          })
        : cannotWrite(path, cause);
    });
    const writer = new ResultsWriter(file, path, 0);
    await writer.#write(header);
    return writer;
  }

  /** Goes on with a results file: cuts everything behind the point, and begins anew without a header. */
  static async goOn(path: string, header: EvalHeader, point: ResumePoint): Promise<ResultsWriter> {
    const file = await open(path, 'a', 0o600).catch((cause: unknown) => {
      throw cannotWrite(path, cause);
    });
    const writer = new ResultsWriter(file, path, point.goodBytes);
    try {
      await file.truncate(point.goodBytes);
      if (!point.hasHeader) await writer.#write(header);
    } catch (cause) {
      await writer.close();
      throw cause instanceof EvalError ? cause : cannotWrite(path, cause);
    }
    return writer;
  }

  append(line: CaseLine): Promise<void> {
    return this.#write(line);
  }

  /** Writes the summary and closes the file. */
  async finish(summary: EvalSummary): Promise<void> {
    await this.#write(summary);
    await this.#file.sync();
    await this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#file.close();
  }

  /** @throws EvalError `results_busy` when another process has written to the file since; `cannot_write` */
  async #write(line: EvalLine): Promise<void> {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    try {
      const { size } = await this.#file.stat();
      if (size !== this.#bytes) {
        throw new EvalError('results_busy', `Another process writes to ${this.#path}.`);
      }
      await this.#file.appendFile(bytes);
      this.#bytes += bytes.length;
    } catch (cause) {
      throw cause instanceof EvalError ? cause : cannotWrite(this.#path, cause);
    }
  }
}

/**
 * Lines of a results file in order, with the byte range of each. A torn last line ends the scan quietly:
 * that is what a kill leaves.
 *
 * @throws EvalError `results_unreadable` naming the line that is no results line
 */
export async function* scanResults(
  path: string,
  start = 0,
): AsyncGenerator<{ line: EvalLine; start: number; end: number }> {
  for await (const { number, offset, bytes, text, isTerminated } of lines(path, start)) {
    if (!isTerminated) return;
    const parsed = text === null ? null : parseLine(text);
    if (parsed === null) {
      throw new EvalError(
        'results_unreadable',
        `Line ${number} of ${path} is no line of a results file.`,
      );
    }
    if (number === 1 && start === 0 && parsed.type !== 'header') {
      throw new EvalError('results_unreadable', `${path} does not begin with a results header.`);
    }
    yield { line: parsed, start: offset, end: offset + bytes + 1 };
  }
}

async function* lines(path: string, start: number): ReturnType<typeof readLines> {
  try {
    yield* readLines(path, maxResultLineBytes, { start });
  } catch (cause) {
    throw new EvalError('results_unreadable', `${path} could not be read.`, { cause });
  }
}

function parseLine(text: string): EvalLine | null {
  try {
    const parsed = evalLineSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    // No JSON is one way of not being a results line.
    return null;
  }
}

function cannotWrite(path: string, cause: unknown): EvalError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EvalError('cannot_write', `${path} could not be written: ${reason}`, { cause });
}
