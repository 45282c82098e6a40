const tags = 'think|thinking|thought|reasoning|reflection|analysis';
const opening = new RegExp(`^\\s*<(${tags})>`, 'i');
const closing = new RegExp(`</(${tags})>`, 'i');

/**
 * The text after a leading reasoning block (`<think>...</think>` and its like), for parsers that look
 * at how an answer begins. A block that some servers open in the prompt shows only its closing tag: the
 * text up to it is reasoning too. A block that never closes leaves nothing.
 */
export function withoutReasoning(text: string): string {
  let rest = text;
  for (;;) {
    const opened = opening.exec(rest);
    if (opened === null) break;
    const close = rest.toLowerCase().indexOf(`</${(opened[1] as string).toLowerCase()}>`);
    if (close === -1) return '';
    rest = rest.slice(rest.indexOf('>', close) + 1);
  }
  const closed = closing.exec(rest);
  if (closed === null) return rest;
  const before = rest.slice(0, closed.index);
  return before.includes(`<${closed[1] as string}>`)
    ? rest
    : rest.slice(closed.index + closed[0].length);
}
