import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { plainText } from '../../../contracts/plain-text.ts';
import { withoutSuggestionMarks } from '../../../contracts/suggestion-tags.ts';
import { fold } from './search-text.ts';

/** Graphemes shown before and after the place of a match: it must stand within the first line of a list. */
const before = 16;
const after = 90;
/** Characters of a text that are looked through for the place. */
const searchedCharacters = 200_000;
/** Characters around the place that are segmented: segmenting is slow, and no more is shown. */
const margin = 800;
/** Characters before and after the place of a match whose Markdown is read. */
const readAround = 400;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The text around the first place where one of the needles stands, on one line, whole graphemes only,
 * with ellipses where it is cut. The beginning of the text where no needle is found.
 *
 * @param needles folded, in the order of their importance
 */
export function snippetOf(text: string, needles: readonly string[]): string {
  const line = text.slice(0, searchedCharacters).replace(/\s+/gu, ' ').trim();
  const place = placeOf(line, needles);
  const from = Math.max(0, place - margin);
  const around = line.slice(from, place + margin);
  const graphemes = [...segmenter.segment(around)];
  const at = graphemes.findIndex(({ index, segment }) => from + index + segment.length > place);
  const start = at <= before ? 0 : wordStart(graphemes, at - before, at);
  const end = Math.min(graphemes.length, Math.max(0, at) + after);
  const shown = graphemes
    .slice(start, end)
    .map(({ segment }) => segment)
    .join('')
    .trim();
  const isCutBefore = from > 0 || start > 0;
  const isCutAfter = end < graphemes.length || from + around.length < line.length;
  return `${isCutBefore ? '…' : ''}${shown}${isCutAfter ? '…' : ''}`;
}

/**
 * The same for an agent's text: without the marks of its Markdown and of a Thinker's suggestion, which the
 * list of conversations cannot draw. Only what stands around the match is read, from the beginning of a line, so a mark that was opened
 * far above is not known.
 */
export function markdownSnippetOf(source: string, needles: readonly string[]): string {
  const text = withoutSuggestionMarks(source);
  const place = placeOf(text.slice(0, searchedCharacters), needles);
  const from = lineStart(text, place - readAround);
  const to = place + readAround;
  const plain = plainText(fromMarkdown(text.slice(from, to), syntax));
  // A match in the address of a link, say, is shown as it was written.
  if (firstOf(fold(plain), needles) === -1) return snippetOf(text, needles);
  const snippet = snippetOf(plain, needles);
  const before = from > 0 && !snippet.startsWith('…') ? '…' : '';
  const after = to < text.length && !snippet.endsWith('…') ? '…' : '';
  return `${before}${snippet}${after}`;
}

/** The beginning of the line in which `at` stands, or `at` itself in a very long line. */
function lineStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const start = text.lastIndexOf('\n', at) + 1;
  return at - start > readAround ? at : start;
}

const syntax = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Where the first whole word from `from` on begins, or `from` itself where no word begins before `at`. */
function wordStart(graphemes: readonly Intl.SegmentData[], from: number, at: number): number {
  const space = graphemes.findIndex(({ segment }, index) => index >= from - 1 && segment === ' ');
  return space === -1 || space >= at ? from : space + 1;
}

/** Where the first needle that is found stands in `line`; 0 when none is. */
function placeOf(line: string, needles: readonly string[]): number {
  const lower = line.toLowerCase();
  // Lower case seldom changes a length; where it does, or where accents matter, every character is folded.
  const at = lower.length === line.length ? firstOf(lower, needles) : -1;
  if (at !== -1) return at;
  const folded = foldWithPlaces(line);
  return folded.places[firstOf(folded.text, needles)] ?? 0;
}

function firstOf(text: string, needles: readonly string[]): number {
  for (const needle of needles) {
    const at = needle === '' ? -1 : text.indexOf(needle);
    if (at !== -1) return at;
  }
  return -1;
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
