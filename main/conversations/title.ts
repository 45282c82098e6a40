/** What a conversation is called before its first message. */
export const untitled = 'New conversation';

/** Graphemes, and UTF-16 units, of a title made from a message. */
const graphemeLimit = 60;
const unitLimit = 200;

/**
 * A title from a conversation's first message: its first line with text, white space joined, at most 60
 * graphemes and 200 UTF-16 units, cut between words where one ends in the second half, and never
 * through a grapheme (an emoji family, a letter with its accents). Cut titles end with an ellipsis.
 *
 * @returns `untitled` for a message without visible text
 */
export function titleOf(message: string): string {
  // A message may be 200,000 characters of white space; a title needs the beginning of its text.
  const line =
    message
      .trimStart()
      .slice(0, 4 * unitLimit)
      .split(/[\r\n\u2028\u2029]/u, 1)[0] ?? '';
  const text = line.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (text === '') return untitled;
  const graphemes = [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)];
  let end = 0;
  let count = 0;
  for (const { segment } of graphemes) {
    if (count === graphemeLimit || end + segment.length > unitLimit) break;
    end += segment.length;
    count += 1;
  }
  if (end === text.length) return text;
  // Not one grapheme fits: a letter under hundreds of accents.
  if (end === 0) return untitled;
  const cut = text.slice(0, end);
  const lastSpace = text[end] === ' ' ? end : cut.lastIndexOf(' ');
  return `${(lastSpace > end / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}
