/** A piece of an answer and the channel it belongs to. */
export interface ChannelPiece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

export interface ThinkSplitter {
  push(piece: string): ChannelPiece[];
  /** What was held back because it might have been the start of a tag. */
  end(): ChannelPiece[];
}

/** Where the text is: in plain text, in a thought until its closing tag, or in code until its mark. */
type Place =
  | { readonly in: 'text' }
  | { readonly in: 'thought'; readonly closing: string }
  | { readonly in: 'code'; readonly mark: string };

/** How far a place reaches: up to `end`, from where the next one goes on; null when it goes on. */
interface Stretch {
  readonly end: number;
  readonly resume: number;
  readonly next: Place | null;
}

const names = ['think', 'thinking', 'thought', 'reasoning'];
const plain: Place = { in: 'text' };
/** A longer run of backticks is not waited for: nobody fences with more, and a looping model never ends one. */
const longestMark = 64;

/**
 * Sorts the text of models that think aloud between tags: what stands between `<think>` and `</think>`
 * (also thinking, thought, reasoning, any case) is reasoning, the rest is text. Tags may be split over
 * pieces. A tag that never closes leaves the rest as reasoning; a tag between backticks is somebody's
 * example and stays text.
 *
 * Blank space between a thought and the text after it belongs to neither and is dropped. One pass over
 * every piece, whatever it holds.
 */
export function createThinkSplitter(): ThinkSplitter {
  let held = '';
  let place: Place = plain;
  let dropsSpace = false;

  const drain = (isLast: boolean): ChannelPiece[] => {
    const pieces: ChannelPiece[] = [];
    let at = 0;
    for (;;) {
      if (dropsSpace && place.in !== 'thought') {
        at += /^\s*/.exec(held.slice(at))?.[0].length ?? 0;
        dropsSpace = at === held.length;
      }
      const { end, resume, next } = stretchOf(place, held, at, isLast);
      const type = place.in === 'thought' ? 'reasoning' : 'text';
      if (end > at) pieces.push({ type, text: held.slice(at, end) });
      at = resume;
      if (next === null) break;
      if (place.in === 'thought') dropsSpace = true;
      place = next;
    }
    held = held.slice(at);
    return pieces;
  };

  return {
    push: (piece) => {
      held += piece;
      return drain(false);
    },
    end: () => drain(true),
  };
}

function stretchOf(place: Place, text: string, from: number, isLast: boolean): Stretch {
  switch (place.in) {
    case 'text':
      return plainStretch(text, from, isLast);
    case 'thought':
      return thoughtStretch(place.closing, text, from, isLast);
    case 'code':
      return codeStretch(place.mark, text, from, isLast);
  }
}

/** Plain text reaches to the next opening tag or the next backticks. */
function plainStretch(text: string, from: number, isLast: boolean): Stretch {
  const found = searchFrom(/<(think|thinking|thought|reasoning)>|`+/gi, text, from);
  if (found === null)
    return openEnd(
      text,
      from,
      isLast,
      names.map((name) => `<${name}>`),
    );
  const start = found.index;
  const resume = start + found[0].length;
  const name = found[1]?.toLowerCase();
  if (name !== undefined) {
    return { end: start, resume, next: { in: 'thought', closing: `</${name}>` } };
  }
  // More backticks may follow in the next piece, and their number decides what closes them.
  if (resume === text.length && !isLast && resume - start < longestMark)
    return { end: start, resume: start, next: null };
  return { end: resume, resume, next: { in: 'code', mark: found[0] } };
}

function thoughtStretch(closing: string, text: string, from: number, isLast: boolean): Stretch {
  const found = searchFrom(new RegExp(closing, 'gi'), text, from);
  if (found === null) return openEnd(text, from, isLast, [closing]);
  return { end: found.index, resume: found.index + found[0].length, next: plain };
}

/** Code reaches to as many backticks as opened it; inline code at the latest to its paragraph's end. */
function codeStretch(mark: string, text: string, from: number, isLast: boolean): Stretch {
  const isFence = mark.length >= 3;
  const marks = isFence ? /`+/g : /`+|\n\n/g;
  for (let found = searchFrom(marks, text, from); found !== null; found = marks.exec(text)) {
    const [run] = found;
    const end = found.index + run.length;
    if (run === '\n\n') return { end: found.index, resume: found.index, next: plain };
    if (end === text.length && !isLast && run.length < longestMark)
      return { end: found.index, resume: found.index, next: null };
    const closes = isFence ? run.length >= mark.length : run.length === mark.length;
    if (closes) return { end, resume: end, next: plain };
  }
  return openEnd(text, from, isLast, isFence ? [] : ['\n\n']);
}

/** The rest of the text, less a tail that may begin one of the words. */
function openEnd(text: string, from: number, isLast: boolean, words: readonly string[]): Stretch {
  const end = isLast ? text.length : Math.max(from, text.length - openTail(text, words));
  return { end, resume: end, next: null };
}

function searchFrom(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

/** Length of the longest tail of `text` that begins one of the words, in any case. */
function openTail(text: string, words: readonly string[]): number {
  const longest = Math.max(0, ...words.map(({ length }) => length - 1));
  const tail = text.slice(Math.max(0, text.length - longest));
  for (let start = 0; start < tail.length; start += 1) {
    const end = tail.slice(start).toLowerCase();
    if (words.some((word) => word.startsWith(end))) return tail.length - start;
  }
  return 0;
}
