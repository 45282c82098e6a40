import type { Verdict } from '../contracts/events.ts';
import { withoutReasoning } from './reasoning-block.ts';

/** The words of a verdict. They are read in any case; an empty one matches nothing. */
export interface VerdictWords {
  readonly accept: string;
  readonly revise: string;
}

/**
 * What a Verifier's text decides.
 *
 * The text says it at its beginning, or in a last line that holds nothing else, after a reasoning block
 * if there is one: `ACCEPT`, `**accept**`, `ACCEPT.`, `Verdict: ACCEPT - all steps hold`. The revise word,
 * `REVISE` and `REJECT` revise, also in a last line that takes back how the text began. Anything else is `unknown`, which the loop treats as a revision:
 * asking once too often costs a turn, accepting once too often gives a wrong answer. So `ACCEPTED`,
 * `I cannot ACCEPT`, `ACCEPT or REVISE?` and `ACCEPT if ...` are unknown, and so is an accept word in
 * lower case that runs on into a sentence (`accept the risk ...`).
 *
 * `diagnosis` is the rest of the text without the word; for `unknown` it is the whole text.
 */
export function parseVerdict(text: string, words: VerdictWords): Verdict {
  const visible = withoutReasoning(text).normalize('NFC').trim();
  const first = statementAt(visible, words);
  const last = lastLine(visible, words);
  if (last !== null && (first === null || last.status === 'revised')) {
    return { status: last.status, diagnosis: orNull(last.before) };
  }
  if (first !== null) {
    return { status: first.status, diagnosis: orNull(withoutSeparators(first.rest)) };
  }
  return { status: 'unknown', diagnosis: orNull(visible) };
}

/** The statement of a last line that holds nothing else, and the text before it. */
function lastLine(
  text: string,
  words: VerdictWords,
): { readonly status: Statement['status']; readonly before: string } | null {
  const start = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
  const statement = start === 0 ? null : statementAt(text.slice(start), words);
  if (statement === null || withoutSeparators(statement.rest) !== '') return null;
  return { status: statement.status, before: text.slice(0, start).trim() };
}

interface Statement {
  readonly status: 'accepted' | 'revised';
  /** What follows the word. */
  readonly rest: string;
}

/** Marks that may stand before a verdict. Those that could negate or strike it (`!`, `~~`, a cross) may not. */
const ornament = '[^\\p{L}\\p{N}!?¬≠~✗✘❌🚫⛔/\\\\]*';
const label = new RegExp(
  `^${ornament}(?:\\d+[.)]${ornament})?(?:here(?: is|['’]s) )?(?:(?:the|my|our|final|overall) )*` +
    `(?:verdict|decision|judge?ment|conclusion|status|outcome|assessment|result)` +
    `(?:${ornament}is(?![\\p{L}\\p{N}]))?(?![\\p{L}\\p{N}])${ornament}`,
  'iu',
);
const leading = new RegExp(`^${ornament}`, 'u');

function statementAt(text: string, words: VerdictWords): Statement | null {
  const labelled = label.exec(text);
  const start = labelled ?? leading.exec(text);
  const rest = text.slice(start?.[0].length ?? 0);
  for (const word of [words.revise, 'REVISE', 'REJECT']) {
    if (sameWord(word, words.accept)) continue;
    const after = afterWord(rest, word);
    if (after !== null && endsWord(after)) return { status: 'revised', rest: after };
  }
  const after = afterWord(rest, words.accept);
  if (after === null || !endsWord(after)) return null;
  return acceptsPlainly(rest, after, words.accept) ? { status: 'accepted', rest: after } : null;
}

function afterWord(text: string, word: string): string | null {
  const wanted = word.normalize('NFC').trim();
  if (wanted === '') return null;
  return sameWord(text.slice(0, wanted.length), wanted) ? text.slice(wanted.length) : null;
}

function sameWord(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** Quotes, brackets and emphasis that may close right behind the word. */
const closers = /^[*_`"'”’»)\]}]*/u;

/** Whether the word is over where `after` begins: no letter, digit or apostrophe goes on with it. */
function endsWord(after: string): boolean {
  const rest = after.slice(closers.exec(after)?.[0].length ?? 0);
  return (
    rest === '' ||
    /^(?:\s|[:;,!—–<]|-(?![\p{L}\p{N}])|\.(?![\p{Ll}\p{N}])|…|[^\x00-\x7f\p{L}\p{N}\p{M}])/u.test(
      rest,
    )
  );
}

const condition =
  /^(?:[^\S\r\n]|[,(])*(?:or|and|if|only|unless|once|after|when|provided|pending|conditional(?:ly)?|not|is|isn['’]t|was|would|should|could|can(?:not|['’]t)?|will|must|with|without|but|nor|vs)(?![\p{L}\p{N}])/iu;

/**
 * A word that stands alone accepts. One that runs on into a sentence accepts when it is written as the
 * word itself is (upper case by default), and no condition or second word follows.
 */
function acceptsPlainly(text: string, after: string, accept: string): boolean {
  const tail = after.slice(closers.exec(after)?.[0].length ?? 0);
  if (/^\s*\?|^\s*[/|]/.test(tail) || condition.test(tail)) return false;
  const runsOn = /^[^\S\n\r]+[\p{L}\p{N}]/u.test(tail);
  const wanted = accept.normalize('NFC').trim();
  return !runsOn || text.startsWith(wanted) || text.startsWith(wanted.toUpperCase());
}

function withoutSeparators(text: string): string {
  return text.replace(/^(?:<\/\w+>|[\s*_`"'”’»)\]}<>:;,.!?…—–-])+/u, '').trim();
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
