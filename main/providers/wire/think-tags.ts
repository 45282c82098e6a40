/** A piece of an answer and the channel it belongs to. */
export interface ChannelPiece {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

const opening = /<(think|thinking|thought|reasoning)>/i;
const openings = ['<think>', '<thinking>', '<thought>', '<reasoning>'];
/** Backticks and tildes that begin or end code; a tag inside code is somebody's example. */
const codeMark = /`+|^~{3,}/m;

/**
 * Sorts the text of models that think aloud between tags: what stands between `<think>` and `</think>`
 * (also thinking, thought, reasoning, any case) is reasoning, the rest is text. Tags may be split over
 * pieces. A tag that never closes leaves the rest as reasoning; tags in code stay text.
 *
 * Blank space between a thought and the text after it belongs to neither and is dropped.
 */
export function createThinkSplitter(): {
  push(piece: string): ChannelPiece[];
  end(): ChannelPiece[];
} {
  let held = '';
  /** The tag that closes the open thought. */
  let closing: string | null = null;
  /** The mark that closes the open code. */
  let code: string | null = null;
  let dropsSpace = false;

  const drain = (final: boolean): ChannelPiece[] => {
    const pieces: ChannelPiece[] = [];
    const emit = (type: ChannelPiece['type'], text: string): void => {
      if (text !== '') pieces.push({ type, text });
    };
    for (;;) {
      if (closing !== null) {
        const at = asciiLower(held).indexOf(closing);
        if (at < 0) {
          const keep = final ? 0 : tailThatBegins(asciiLower(held), [closing]);
          emit('reasoning', held.slice(0, held.length - keep));
          held = held.slice(held.length - keep);
          return pieces;
        }
        emit('reasoning', held.slice(0, at));
        held = held.slice(at + closing.length);
        closing = null;
        dropsSpace = true;
        continue;
      }
      if (dropsSpace) {
        held = held.trimStart();
        if (held === '') return pieces;
        dropsSpace = false;
      }
      if (code !== null) {
        const end = closeOfCode(held, code, final);
        emit('text', held.slice(0, end.upTo));
        held = held.slice(end.upTo);
        if (!end.closed) return pieces;
        code = null;
        continue;
      }
      const tag = opening.exec(held);
      const mark = codeMark.exec(held);
      if (mark !== null && (tag === null || mark.index < tag.index)) {
        const end = mark.index + mark[0].length;
        // More backticks may follow in the next piece, and their number decides what closes them.
        if (end === held.length && !final) {
          emit('text', held.slice(0, mark.index));
          held = held.slice(mark.index);
          return pieces;
        }
        emit('text', held.slice(0, end));
        held = held.slice(end);
        code = mark[0];
        continue;
      }
      if (tag !== null) {
        emit('text', held.slice(0, tag.index));
        held = held.slice(tag.index + tag[0].length);
        closing = `</${tag[1]?.toLowerCase() ?? ''}>`;
        continue;
      }
      const keep = final ? 0 : tailThatBegins(asciiLower(held), openings);
      emit('text', held.slice(0, held.length - keep));
      held = held.slice(held.length - keep);
      return pieces;
    }
  };

  return {
    push: (piece) => {
      held += piece;
      return drain(false);
    },
    end: () => drain(true),
  };
}

/** How far the code reaches in `text`: to its closing mark of equal length, or as far as is certain. */
function closeOfCode(
  text: string,
  code: string,
  final: boolean,
): { upTo: number; closed: boolean } {
  const runs = new RegExp(`${code.charAt(0) === '~' ? '~' : '\`'}+`, 'g');
  for (const run of text.matchAll(runs)) {
    const end = run.index + run[0].length;
    if (end === text.length && !final) return { upTo: run.index, closed: false };
    const fits = code.length >= 3 ? run[0].length >= code.length : run[0].length === code.length;
    if (fits) return { upTo: end, closed: true };
    // Inline code ends with its paragraph, whether or not it was closed.
  }
  const paragraph = code.length < 3 ? text.indexOf('\n\n') : -1;
  if (paragraph >= 0) return { upTo: paragraph, closed: true };
  // One newline is kept back: it may be the first half of a paragraph's end.
  const keep = !final && code.length < 3 && text.endsWith('\n') ? 1 : 0;
  return { upTo: text.length - keep, closed: false };
}

/** Lower case without changing any index, which `toLowerCase` does for some letters. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Length of the longest tail of `text` that begins one of the words. */
function tailThatBegins(text: string, words: readonly string[]): number {
  let longest = 0;
  for (const word of words) {
    for (let length = Math.min(word.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(word.slice(0, length))) longest = length;
    }
  }
  return longest;
}
