import { evalHeaderSchema, evalLineSchema, type EvalHeader } from '../../contracts/evals.ts';
import { EvalError } from './eval-error.ts';
import { readLines } from './line-reader.ts';
import { maxResultLineBytes } from './results-file.ts';

/** Where the cases of a results file lie. */
export interface ResultsIndex {
  readonly header: EvalHeader;
  /** Where each case's line lies, by id, in the file's order. */
  readonly places: ReadonlyMap<string, LinePlace>;
  /** The summary was reached: nothing more will be written. */
  readonly isComplete: boolean;
}

/** Byte range of a line, and its number from 1. */
export type LinePlace = readonly [start: number, end: number, line: number];

/** How our own writer begins a case's line; an id without escapes follows. */
const ownCase = /^\{"type":"case","id":"([^"\\]*)"/;

/**
 * Finds the cases of a results file in one pass that parses almost nothing: lines as our writer puts them
 * are told by their beginning and read when their case is asked for. Other lines are parsed here.
 *
 * @throws EvalError `results_unreadable` naming the line, also of a case that was there before
 */
export async function indexResults(path: string): Promise<ResultsIndex> {
  const refuse = (number: number, why: string, cause?: unknown): never => {
    throw new EvalError('results_unreadable', `Line ${number} of ${path} ${why}.`, { cause });
  };
  const places = new Map<string, LinePlace>();
  const failed = new Set<string>();
  let header: EvalHeader | null = null;
  let isComplete = false;
  for await (const { number, offset, bytes, text, isTerminated } of linesOf(path)) {
    if (!isTerminated) break;
    if (text === null) return refuse(number, `has ${bytes} bytes; ${maxResultLineBytes} are read`);
    const place = [offset, offset + bytes, number] as const;
    const requireFirst = (id: string): void => {
      if (!places.has(id) && !failed.has(id)) return;
      refuse(number, `holds the case "${id}" a second time`);
    };
    const ownId = ownCase.exec(text)?.[1];
    if (header !== null && ownId !== undefined) {
      requireFirst(ownId);
      places.set(ownId, place);
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
    const { data } = line;
    if (data.type === 'case' || data.type === 'case_error') requireFirst(data.id);
    if (data.type === 'case') places.set(data.id, place);
    if (data.type === 'case_error') failed.add(data.id);
    isComplete = data.type === 'summary';
  }
  return { header: header ?? refuse(1, 'is no header of a results file'), places, isComplete };
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
