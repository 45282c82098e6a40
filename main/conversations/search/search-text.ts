/** Scripts that write without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ーｰ々〆〇]+/gu;

/** Characters of one text that are indexed. */
const indexedCharacters = 200_000;

/** What the two indexes get of a text. */
export interface IndexedText {
  /** For the index of words: the text without the unspaced scripts. */
  readonly words: string;
  /** For the index of grams: characters and pairs of the unspaced scripts, separated by spaces. */
  readonly grams: string;
}

export function indexedText(text: string): IndexedText {
  const composed = text.slice(0, indexedCharacters).normalize('NFC');
  return {
    words: composed.replace(unspaced, ' '),
    grams: [...composed.matchAll(unspaced)].flatMap(([run]) => grams(run)).join(' '),
  };
}

/** A search as the indexes are asked; null asks nothing of an index. */
export interface SearchQuery {
  readonly words: string | null;
  readonly grams: string | null;
  /** Folded texts that a document must hold: what grams alone cannot tell. */
  readonly runs: readonly string[];
  /** Folded texts to show a match by. */
  readonly needles: readonly string[];
}

/** Words and runs of one search that are looked for; those after them are passed over. */
const partLimit = 16;
/** A shorter beginning of a word is searched as a word: too much begins with one letter. */
const shortestPrefix = 2;

/**
 * The meaning of what a person typed: a document must hold every word, the last one as the beginning of
 * a word (it may still be being typed), and every run of an unspaced script as it stands. Punctuation is
 * passed over. Null when nothing can be searched for.
 */
export function parseSearch(text: string): SearchQuery | null {
  const composed = text.normalize('NFC');
  const runs = [...composed.matchAll(unspaced)].map(([run]) => run).slice(0, partLimit);
  const words = (composed.replace(unspaced, ' ').match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []).slice(
    0,
    partLimit,
  );
  if (runs.length === 0 && words.length === 0) return null;
  const isTyping = /[\p{L}\p{N}\p{M}]$/u.test(composed);
  return {
    words:
      words.length === 0
        ? null
        : words.map((word, at) => term(word, at === words.length - 1 && isTyping)).join(' '),
    grams:
      runs.length === 0
        ? null
        : runs
            .flatMap(neededGrams)
            .map((gram) => `"${gram}"`)
            .join(' '),
    runs: runs.map(fold),
    needles: [...words, ...runs].map(fold),
  };
}

function term(word: string, isPrefix: boolean): string {
  return isPrefix && word.length >= shortestPrefix ? `"${word}"*` : `"${word}"`;
}

function grams(run: string): string[] {
  const characters = [...run];
  return characters.flatMap((character, at) => {
    const next = characters[at + 1];
    return next === undefined ? [character] : [character, character + next];
  });
}

/** The pairs of a run say more than its characters; a single character has no pair. */
function neededGrams(run: string): string[] {
  const pairs = grams(run).filter((gram) => [...gram].length === 2);
  return pairs.length === 0 ? [run] : pairs;
}

/** Lower case without diacritics, as the index of words compares. */
export function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFC');
}
