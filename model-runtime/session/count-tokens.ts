import { cancelled, RuntimeError } from '../runtime-error.ts';
import type { RequestContext } from '../process/process-server.ts';
import type { RouterTokenizer } from './tokenizer.ts';

/** Characters of all texts together. */
const limitCharacters = 2_000_000;
/** Texts are counted in pieces: normalising is quadratic on stacked combining marks. */
const pieceCharacters = 4_000;

/**
 * Tokens of each text, counted in pieces of 4,000 characters: what a piece's edge cuts counts as two, so a
 * long text comes out a few tokens too high. For estimates of usage, not for routing.
 *
 * @throws RuntimeError `too_long` above two million characters, `cancelled` between two pieces
 */
export async function countTokens(
  tokenizer: RouterTokenizer,
  texts: readonly string[],
  { signal, breathe }: Pick<RequestContext, 'signal' | 'breathe'>,
): Promise<number[]> {
  if (texts.reduce((sum, { length }) => sum + length, 0) > limitCharacters) {
    throw new RuntimeError(
      'too_long',
      `Texts above ${limitCharacters} characters are not counted.`,
    );
  }
  const counts: number[] = [];
  for (const text of texts) {
    let count = 0;
    for (let start = 0; start < text.length; start += pieceCharacters) {
      await breathe();
      if (signal.aborted) throw cancelled();
      const piece = text.slice(start, start + pieceCharacters).toWellFormed();
      count += tokenizer.encode(piece, 'typed').length;
    }
    counts.push(count);
  }
  return counts;
}
