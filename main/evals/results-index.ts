import { evalHeaderSchema, evalLineSchema, type EvalHeader } from '../../contracts/evals.ts';
import { EvalError } from './eval-error.ts';
import { readLines } from './line-reader.ts';
import { maxResultLineBytes } from './results-file.ts';

/** Where the cases of a results file lie. */
export interface ResultsIndex {
  readonly header: EvalHeader;
  /** Byte range of a case's line, by id, in the file's order. */
  readonly ranges: ReadonlyMap<string, readonly [start: number, end: number]>;
  /** The summary was reached: nothing more will be written. */
  readonly isComplete: boolean;
}

/** How our own writer begins a case's line; an id without escapes follows. */
const ownCase = /^\{"type":"case","id":"([^"\\]*)"/;

/**
 * Finds the cases of a results file in one pass that parses almost nothing: lines as our writer puts them
 * are told by their beginning and read when their case is asked for. Other lines are parsed here.
 *
 * @throws EvalError `results_unreadable` naming the line
 */
export async function indexResults(path: string): Promise<ResultsIndex> {
  const refuse = (number: number, why: string, cause?: unknown): never => {
    throw new EvalError('results_unreadable', `Line ${number} of ${path} ${why}.`, { cause });
  };
  const ranges = new Map<string, readonly [start: number, end: number]>();
  let header: EvalHeader | null = null;
  let isComplete = false;
  for await (const { number, offset, bytes, text, isTerminated } of linesOf(path)) {
    if (!isTerminated) break;
    if (text === null) return refuse(number, `has ${bytes} bytes; ${maxResultLineBytes} are read`);
    const range = [offset, offset + bytes] as const;
    const ownId = ownCase.exec(text)?.[1];
    if (header !== null && ownId !== undefined) {
      ranges.set(ownId, range);
      continue;
    }
    const value = parsed(text);
    if (header === null) {
      const first = evalHeaderSchema.safeParse(value);
      header = first.data ?? refuse(number, 'is no header of a results file', first.error);
      continue;
    }
    const line = evalLineSchema.safeParse(value);
    if (!line.success) return refuse(number, 'is no line of a results file', line.error);
    if (line.data.type === 'case') ranges.set(line.data.id, range);
    isComplete = line.data.type === 'summary';
  }
  return { header: header ?? refuse(1, 'is no header of a results file'), ranges, isComplete };
}

async function* linesOf(path: string): ReturnType<typeof readLines> {
  try {
    yield* readLines(path, maxResultLineBytes);
  } catch (cause) {
    throw new EvalError('results_unreadable', `${path} could not be read.`, { cause });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is one way of not being a results line.
    return undefined;
  }
}
