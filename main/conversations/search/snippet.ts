import { fold } from './search-text.ts';

/** Graphemes shown before and after the place of a match. */
const before = 30;
const after = 90;
/** Characters of a text that are looked through for the place. */
const searchedCharacters = 200_000;

/**
 * The text around the first place where one of the needles stands, on one line, whole graphemes only,
 * with ellipses where it is cut. The beginning of the text where no needle is found.
 *
 * @param needles folded, in the order of their importance
 */
export function snippetOf(text: string, needles: readonly string[]): string {
  const line = text.slice(0, searchedCharacters).replace(/\s+/gu, ' ').trim();
  const place = placeOf(line, needles);
  const graphemes = [
    ...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
      windowAround(line, place),
    ),
  ];
  const offset = windowStart(place);
  const at = Math.max(
    0,
    graphemes.findIndex(({ index, segment }) => offset + index + segment.length > place),
  );
  const start = at <= before ? 0 : at - before;
  const end = Math.min(graphemes.length, at + after);
  const shown = graphemes
    .slice(start, end)
    .map(({ segment }) => segment)
    .join('')
    .trim();
  const isCutBefore = offset > 0 || start > 0;
  const isCutAfter = end < graphemes.length || windowEnd(place) < line.length;
  return `${isCutBefore ? '…' : ''}${shown}${isCutAfter ? '…' : ''}`;
}

/** Segmenting is slow: only what may be shown is segmented. */
const margin = 2000;

function windowStart(place: number): number {
  return Math.max(0, place - margin);
}

function windowEnd(place: number): number {
  return place + margin;
}

function windowAround(line: string, place: number): string {
  return line.slice(windowStart(place), windowEnd(place));
}

/** Where the first needle that is found stands in `line`; 0 when none is. */
function placeOf(line: string, needles: readonly string[]): number {
  const folded = foldWithPlaces(line);
  for (const needle of needles) {
    const at = folded.text.indexOf(needle);
    if (needle !== '' && at !== -1) return folded.places[at] ?? 0;
  }
  return 0;
}

/** A folded text with, for each of its UTF-16 units, where it came from. */
function foldWithPlaces(line: string): { text: string; places: number[] } {
  let text = '';
  const places: number[] = [];
  let at = 0;
  for (const character of line) {
    const folded = fold(character);
    for (let unit = 0; unit < folded.length; unit += 1) places.push(at);
    text += folded;
    at += character.length;
  }
  return { text, places };
}
