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

/**
 * Appends the lines of one evaluation. A line is written whole before `append` resolves and reaches the
 * disk at the latest with the summary; a kill leaves at most one torn line at the end.
 */
export class ResultsWriter {
  readonly #file: FileHandle;
  readonly #path: string;
  #isClosed = false;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /**
   * Starts a results file.
   *
   * @throws EvalError `results_mismatch` when the file exists: nothing is overwritten
   */
  static async create(path: string, header: EvalHeader): Promise<ResultsWriter> {
    const file = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST'
        ? new EvalError('results_mismatch', `${path} exists. Resume it, or name another file.`, {
            cause,
          })
        : cannotWrite(path, cause);
    });
    const writer = new ResultsWriter(file, path);
    await writer.#write(header);
    return writer;
  }

  /**
   * Goes on with a results file: cuts a torn last line and a summary, and tells which cases are there.
   *
   * @throws EvalError `results_mismatch` naming the member of the header that differs
   */
  static async resume(
    path: string,
    header: EvalHeader,
  ): Promise<{ writer: ResultsWriter; done: readonly CaseLine[] }> {
    const done: CaseLine[] = [];
    let goodBytes = 0;
    for await (const { line, end } of scanResults(path)) {
      if (line.type === 'header') requireSameRun(path, line, header);
      else if (line.type === 'summary') break;
      else done.push(line);
      goodBytes = end;
    }
    const file = await open(path, 'r+').catch((cause: unknown) => {
      throw cannotWrite(path, cause);
    });
    await file.truncate(goodBytes);
    return { writer: new ResultsWriter(await reopenForAppend(file, path), path), done };
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

  async #write(line: EvalLine): Promise<void> {
    try {
      await this.#file.appendFile(`${JSON.stringify(line)}\n`);
    } catch (cause) {
      throw cannotWrite(this.#path, cause);
    }
  }
}

async function reopenForAppend(file: FileHandle, path: string): Promise<FileHandle> {
  await file.sync();
  await file.close();
  return open(path, 'a', 0o600);
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

const identity = ['suiteHash', 'adapterRef', 'profile', 'graphVersion'] as const;

function requireSameRun(path: string, stored: EvalHeader, wanted: EvalHeader): void {
  for (const member of identity) {
    if (stored[member] !== wanted[member]) {
      throw new EvalError(
        'results_mismatch',
        `${path} was made with another ${member} (${stored[member]}, now ${wanted[member]}).`,
      );
    }
  }
}

function cannotWrite(path: string, cause: unknown): EvalError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EvalError('cannot_write', `${path} could not be written: ${reason}`, { cause });
}
