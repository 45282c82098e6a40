const tags = 'think|thinking|thought|reasoning|reflection|analysis';

/**
 * The text after its leading reasoning blocks (`<think>...</think>` and its like), for parsers that look
 * at how an answer begins. A block that never closes leaves nothing.
 *
 * Some servers open the block in the prompt, so that only its closing tag shows: the text up to that is
 * reasoning too. It counts only at the start of a line or before a line's end, as those servers write
 * it; inside a line it is somebody quoting a tag.
 */
export function withoutReasoning(text: string): string {
  const opening = new RegExp(`\\s*<(${tags})>`, 'iy');
  let start = 0;
  for (;;) {
    opening.lastIndex = start;
    const tag = opening.exec(text)?.[1];
    if (tag === undefined) break;
    const closing = new RegExp(`</${tag}>`, 'ig');
    closing.lastIndex = opening.lastIndex;
    if (closing.exec(text) === null) return '';
    start = closing.lastIndex;
  }
  const unopened = new RegExp(
    `^[^\\S\\r\\n]*</(?:${tags})>|</(?:${tags})>(?=[^\\S\\r\\n]*[\\r\\n])`,
    'im',
  );
  const rest = text.slice(start);
  const closed = unopened.exec(rest);
  if (closed === null || new RegExp(`<(?:${tags})>`, 'i').test(rest.slice(0, closed.index))) {
    return rest;
  }
  return rest.slice(closed.index + closed[0].length);
}
