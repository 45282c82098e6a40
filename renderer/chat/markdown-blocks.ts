/**
 * A Markdown text as blocks that mean the same alone as together, so that a streaming answer re-renders
 * only its last block. Joined, the blocks are the text again.
 *
 * A cut stands at a blank line outside a code fence, before a line that begins something of its own:
 * not indented, no list item, no table row, no quotation. Where that is unsure no cut is made: a longer
 * block is only slower. Texts with link or footnote definitions, or with HTML that runs over blank lines,
 * are one block.
 */
export function markdownBlocks(text: string): string[] {
  if (countsEverywhere.test(text)) return [text];
  const blocks: string[] = [];
  let start = 0;
  let fence: Fence | null = null;
  let afterBlank = false;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, end);
    const isBlank = line.trim() === '';
    fence = isBlank ? fence : whileOpen(fence, line);
    if (fence === null && afterBlank && !isBlank && beginsAnew.test(line) && at > start) {
      blocks.push(text.slice(start, at));
      start = at;
    }
    if (!isBlank) fence = afterLine(fence, line);
    afterBlank = isBlank;
    at = end;
  }
  if (start < text.length) blocks.push(text.slice(start));
  return blocks;
}

interface Fence {
  readonly ticks: string;
  /** Column of the ticks. */
  readonly column: number;
  /** Inside a list item or quotation, or deeper than a fence may stand by itself. */
  readonly isContained: boolean;
}

const countsEverywhere = /^ {0,3}(\[[^\]\n]+\]:|<(pre|script|style|textarea|!|\?))/im;
const beginsAnew = /^(?!\s|[-*+](\s|$)|\d{1,9}[.)](\s|$)|>|\|)/;
const opening = /^(\s*(?:(?:[-*+>]|\d{1,9}[.)])\s+)*)(`{3,}|~{3,})(.*)$/;
const closing = /^ {0,3}(`{3,}|~{3,})\s*$/;

/** A contained fence ends with its container: at a line that stands further left. */
function whileOpen(fence: Fence | null, line: string): Fence | null {
  if (fence === null || !fence.isContained) return fence;
  return line.length - line.trimStart().length < fence.column ? null : fence;
}

function afterLine(fence: Fence | null, line: string): Fence | null {
  if (fence !== null) {
    const ticks = closing.exec(line)?.[1];
    const closes =
      ticks !== undefined && ticks[0] === fence.ticks[0] && ticks.length >= fence.ticks.length;
    return closes && !fence.isContained ? null : fence;
  }
  const [, before = '', ticks = '', rest = ''] = opening.exec(line.trimEnd()) ?? [];
  if (ticks === '' || (ticks.startsWith('`') && rest.includes('`'))) return null;
  return { ticks, column: before.length, isContained: !/^ {0,3}$/.test(before) };
}
