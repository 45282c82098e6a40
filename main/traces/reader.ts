import { createReadStream } from 'node:fs';
import { sha256 } from '../../coordinator/hash.ts';
import { TraceError } from './errors.ts';
import { lineHeadSchema, traceLineSchema, traceLineTypes, type TraceLine } from './trace-line.ts';
import type { z } from 'zod';

/** One line of a trace file as it was found. `number` counts from 1. */
export type ReadLine = { readonly number: number; readonly sha256: string } & (
  | { readonly kind: 'event'; readonly line: TraceLine }
  /** A type or version that this program does not know: passed over, not refused. */
  | { readonly kind: 'unknown'; readonly head: z.infer<typeof lineHeadSchema> }
  /** Not a line of a trace, and why. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** The last line without its newline: the writer died in it. */
  | { readonly kind: 'torn' }
);

/** Longest line that is read: a whole conversation with its text fits, a file that is no trace does not. */
const longestLineBytes = 64 * 1024 * 1024;

/**
 * Reads a trace line by line; any size of file in the memory of its longest line. The first line is that of
 * a run's first event. A later line that cannot be read is reported in its place and the next is read.
 *
 * @throws TraceError `unreadable`, `not_a_trace`
 */
export async function* readTrace(path: string): AsyncGenerator<ReadLine, void, void> {
  let isFirst = true;
  for await (const read of readLines(path)) {
    if (isFirst && !(read.kind === 'event' && read.line.type === 'run_started')) {
      throw notATrace(path);
    }
    isFirst = false;
    yield read;
  }
  if (isFirst) throw new TraceError('not_a_trace', `${path} is no trace: it is empty.`);
}

function notATrace(path: string): TraceError {
  const message = `${path} is no trace: it does not begin with the first event of a run.`;
  return new TraceError('not_a_trace', message);
}

async function* readLines(path: string): AsyncGenerator<ReadLine, void, void> {
  let number = 0;
  for await (const { text, isTorn } of linesOf(path)) {
    number += 1;
    if (text === null) {
      yield { number, sha256: '', kind: 'broken', reason: 'the line is not UTF-8 or is too long' };
      continue;
    }
    const at = { number, sha256: sha256(text) };
    yield isTorn ? { ...at, kind: 'torn' } : { ...at, ...parsed(text) };
  }
}

type Parsed =
  | { readonly kind: 'event'; readonly line: TraceLine }
  | { readonly kind: 'unknown'; readonly head: z.infer<typeof lineHeadSchema> }
  | { readonly kind: 'broken'; readonly reason: string };

function parsed(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'broken', reason: 'the line is not JSON' };
  }
  const head = lineHeadSchema.safeParse(value);
  if (!head.success) return { kind: 'broken', reason: reasonOf(head.error) };
  if (head.data.v !== 1 || !traceLineTypes.has(head.data.type)) {
    return { kind: 'unknown', head: head.data };
  }
  const line = traceLineSchema.safeParse(value);
  return line.success
    ? { kind: 'event', line: line.data }
    : { kind: 'broken', reason: reasonOf(line.error) };
}

/** Names the member, never its value: what stands in a broken line may be anything. */
function reasonOf(error: z.ZodError): string {
  const path = error.issues[0]?.path.map(String).join('.') ?? '';
  return path === '' ? 'the line is not an event' : `the member ${path.slice(0, 100)} does not fit`;
}

async function* linesOf(
  path: string,
): AsyncGenerator<{ readonly text: string | null; readonly isTorn: boolean }, void, void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const take = (): string | null => {
    const bytes = Buffer.concat(held);
    const tooLong = heldBytes > longestLineBytes;
    held = [];
    heldBytes = 0;
    return tooLong ? null : decoded(bytes);
  };
  const hold = (bytes: Buffer): void => {
    heldBytes += bytes.length;
    if (heldBytes <= longestLineBytes) held.push(bytes);
    else held = [];
  };
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      let start = 0;
      for (;;) {
        const end = chunk.indexOf(0x0a, start);
        if (end === -1) break;
        hold(chunk.subarray(start, end));
        yield { text: take(), isTorn: false };
        start = end + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
    }
  } catch (error) {
    throw new TraceError('unreadable', whyUnreadable(path, error), { cause: error });
  }
  if (heldBytes > 0) yield { text: take(), isTorn: true };
}

function whyUnreadable(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return `There is no trace at ${path}.`;
    case 'EISDIR':
      return `${path} is no regular file.`;
    case 'EACCES':
    case 'EPERM':
      return `The trace ${path} cannot be read: access to it is refused.`;
    default:
      return `The trace ${path} cannot be read${code === '' ? '' : ` (${code})`}.`;
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
