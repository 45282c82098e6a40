import { createReadStream } from 'node:fs';

/** One line of a text file. `text` is null when the line was longer than the limit. */
export interface TextLine {
  /** From 1. */
  readonly number: number;
  /** Byte offset of its first byte. */
  readonly offset: number;
  /** Bytes without the line end. */
  readonly bytes: number;
  readonly text: string | null;
  /** False for a last line without a line end: it may be torn. */
  readonly isTerminated: boolean;
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Lines of a UTF-8 file, read in order with memory bounded by the limit: a longer line is passed over
 * without being kept. A byte-order mark and the `\r` of CRLF are removed. Bytes that are no UTF-8 become
 * U+FFFD, for the parser of the line to refuse.
 *
 * @param maxLineBytes longest line that is kept
 * @param start        byte offset of a line's first byte to begin at
 */
export async function* readLines(
  path: string,
  maxLineBytes: number,
  options: { readonly start?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<TextLine> {
  const stream = createReadStream(path, { start: options.start ?? 0, signal: options.signal });
  let number = 0;
  let offset = options.start ?? 0;
  let pieces: Buffer[] = [];
  let bytes = 0;

  const finish = (isTerminated: boolean): TextLine => {
    number += 1;
    const line = {
      number,
      offset,
      bytes,
      text: bytes > maxLineBytes ? null : decode(pieces, offset === 0),
      isTerminated,
    };
    pieces = [];
    bytes = 0;
    return line;
  };

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(newline, from);
      const piece = chunk.subarray(from, end === -1 ? undefined : end);
      bytes += piece.length;
      if (bytes <= maxLineBytes) pieces.push(piece);
      else pieces = [];
      if (end === -1) break;
      const consumed = bytes + 1;
      yield finish(true);
      offset += consumed;
      from = end + 1;
    }
  }
  if (bytes > 0) yield finish(false);
}

function decode(pieces: readonly Buffer[], isFirst: boolean): string {
  let content = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  if (content.at(-1) === carriageReturn) content = content.subarray(0, -1);
  const text = content.toString('utf8');
  return isFirst && text.startsWith('\ufeff') ? text.slice(1) : text;
}
