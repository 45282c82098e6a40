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
 * `REVISE` and `REJECT` revise, also further on in a text that began by accepting (`ACCEPT. No: REVISE.`).
 * Anything else is `unknown`, which the loop treats as a revision:
 * asking once too often costs a turn, accepting once too often gives a wrong answer. So `ACCEPTED`,
 * `I cannot ACCEPT`, `ACCEPT or REVISE?`, `ACCEPT: no`, `ACCEPT if ...` and `ACCEPT. But ...` are unknown,
 * and so is an accept word in lower case that runs on into a sentence (`accept the risk ...`).
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
    const status = first.status === 'accepted' ? whatStands(first.rest, words) : first.status;
    const said = status === 'unknown' ? visible : withoutSeparators(first.rest);
    return { status, diagnosis: orNull(said) };
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
  const before = text.slice(0, start).trim();
  if (statement.status === 'accepted' && endsInNegation.test(before)) return null;
  return { status: statement.status, before };
}

/** `I cannot` at the end of a line speaks of the word in the next one. */
const endsInNegation = /(?:not|n['’]t|never)[\s"'“‘*_`(]*$/iu;

interface Statement {
  readonly status: 'accepted' | 'revised';
  /** What follows the word. */
  readonly rest: string;
}

/** Marks that may stand before a verdict. Those that could negate or strike it (`!`, `~~`, a cross) may not. */
const ornament = '[^\\p{L}\\p{N}!?¬≠~✗✘❌🚫⛔/\\\\]*';
/** TeX that puts the word into a box. */
const box = '(?:\\\\(?:boxed|fbox|text|textbf|mathbf|mathrm)\\s*\\{\\s*)*';
const label = new RegExp(
  `^${ornament}(?:\\d+[.)]${ornament})?(?:here(?: is|['’]s) )?(?:(?:the|my|our|final|overall) )*` +
    `(?:verdict|decision|judge?ment|conclusion|status|outcome|assessment|result|` +
    // The answer is also what is judged: it labels a verdict only where it cannot be spoken of.
    `answer(?<=final answer|<answer)|answer(?=[*_]*:))` +
    `(?:${ornament}is(?![\\p{L}\\p{N}]))?(?![\\p{L}\\p{N}])${ornament}${box}`,
  'iu',
);
const leading = new RegExp(`^${ornament}${box}`, 'u');
const unticked = /\[\s+\]|☐/u;

function statementAt(text: string, words: VerdictWords): Statement | null {
  const start = (label.exec(text) ?? leading.exec(text))?.[0] ?? '';
  if (unticked.test(start)) return null;
  const rest = text.slice(start.length);
  for (const word of wordsForRevising(words)) {
    const after = afterWord(rest, word);
    if (after !== null && endsWord(after)) return { status: 'revised', rest: after };
  }
  const after = afterWord(rest, words.accept);
  if (after === null || !endsWord(after)) return null;
  return acceptsPlainly(rest, after, words.accept) ? { status: 'accepted', rest: after } : null;
}

function wordsForRevising(words: VerdictWords): string[] {
  return [words.revise, 'REVISE', 'REJECT'].filter(
    (word) => word.trim() !== '' && !sameWord(word, words.accept),
  );
}

/** What is left of an acceptance after the rest of its text. */
function whatStands(rest: string, words: VerdictWords): Verdict['status'] {
  const own = withoutQuotations(rest);
  if (revisesLater(own, words)) return 'revised';
  return turnsAgainst(own, words.accept) ? 'unknown' : 'accepted';
}

/** The judge's own words: a task that is quoted (`“Add 2 and 2. Revise it once.”`) decides nothing. */
function withoutQuotations(rest: string): string {
  // A quote that closes behind the word was opened before it.
  const start = /^[.!?…,:;*_`"'”’»)\]}$]*/u.exec(rest)?.[0].length ?? 0;
  return (
    rest.slice(0, start) + rest.slice(start).replace(/“[^“”]*”|«[^«»]*»|["`][^"`\r\n]*["`]/gu, '“”')
  );
}

/**
 * Whether a text that accepts at its beginning revises further on: a word for revising, written as it is
 * or in upper case, or in any case at the beginning of a sentence. In prose (`reject the null hypothesis`) it says nothing.
 */
function revisesLater(rest: string, words: VerdictWords): boolean {
  return wordsForRevising(words).some((word) => {
    const wanted = word.normalize('NFC').trim();
    const spellings = [...new Set([wanted, wanted.toUpperCase()])].map(literally).join('|');
    return (
      new RegExp(`${wordStart(wanted)}(?:${spellings})${wordEnd(wanted)}`, 'u').test(rest) ||
      new RegExp(`${sentenceStart}${literally(wanted)}${wordEnd(wanted)}`, 'iu').test(rest)
    );
  });
}

/** Scripts without capitals are often written without spaces, too: there a word has no edges. */
function wordStart(word: string): string {
  return word.toUpperCase() === word.toLowerCase() ? '' : '(?<![\\p{L}\\p{N}_])';
}
function wordEnd(word: string): string {
  return word.toUpperCase() === word.toLowerCase() ? '' : "(?![\\p{L}\\p{N}_'’])";
}

/** The text as a pattern that matches it alone. */
function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
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
const closers = /^[*_`"'”’»)\]}$]*/u;

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

/** Marks between the word and what is said of it, on the same line. */
const gap = String.raw`[^\S\r\n]|[,.:;=…—–*_"'“”‘’»)\]}([` + '`-]';
/** What bounds an acceptance, negates it or offers it beside something else. */
const bound =
  'or|and|if|only|unless|until|once|after|when|provided|providing|pending|assuming|depending|subject to|' +
  'conditional(?:ly)?|provisional(?:ly)?|tentative(?:ly)?|partial(?:ly)?|partly|mostly|largely|almost|nearly|' +
  "except(?:ing)?|excluding|apart|barring|minus|not|never|is|isn['’]t|was|wasn['’]t|would|should|could|" +
  "can(?:not|['’]t)?|will|won['’]t|must|may|might|does|doesn['’]t|do|don['’]t|needs|requires|with|without|" +
  'but|however|though|although|yet|nor|vs|withheld|withdrawn|refused|denied|declined|impossible';
const condition = new RegExp(`^(?:${gap})*(?:${bound})(?![\\p{L}\\p{N}])`, 'iu');
/** Where a new sentence begins behind the word, one that may speak of anything. */
const nextSentence = /^[*_`"'”’»)\]}]*[.!…]+[*_`"'”’»)\]}]*[^\S\r\n]+(?=[*_"'“‘(]*\p{Lu})/u;
/**
 * What bounds an acceptance from the beginning of the next sentence. There `After`, `With` or `When` tell how the
 * judge went about it (`ACCEPT. With n = 3 it holds.`), but not where a change is spoken of.
 */
const nextCondition = new RegExp(
  `^(?:${gap}|!)*(?:(?:if|only|unless|provided|providing|pending|assuming|depending|subject to|conditional(?:ly)?|` +
    'provisional(?:ly)?|tentative(?:ly)?|partial(?:ly)?|partly|mostly|largely|almost|nearly|except(?:ing)?|excluding|' +
    'barring|minus|not|never|but|however|though|although|yet|nor)(?![\\p{L}\\p{N}])|(?:with|without|after|once|when|until)' +
    '(?![\\p{L}\\p{N}])[^.!?\\r\\n]*(?:chang|edit|correct(?:ed|ion)|fix|caveat|reserv|revis|modif|condition|adjust|rewr|repair))',
  'iu',
);
/** Bounds that count anywhere in a sentence that the word itself begins: `ACCEPT all but step 2`. */
const conditionWithin =
  /^[^.!?\r\n]*(?<![\p{L}\p{N}])(?:if|unless|until|once|provided|pending|except|excluding|but|however|though|although|only|not)(?![\p{L}\p{N}])/iu;
/** The word as the name of something that is not so: `{"accept": false}`, `Accept: no`. */
const negative = new RegExp(
  `^(?:${gap})*(?:(?:false|no|none|nope|null|never|0)(?=[^\\S\\r\\n]*(?:[^\\p{L}\\p{N}\\s]|[\\r\\n]|$))|[✗✘❌🚫⛔☐])`,
  'iu',
);
/** Where a sentence begins, with few marks before its first word: a text of nothing but line ends is read once. */
const sentenceStart = '(?:[\\r\\n]|[.!?:;](?=\\s))[^\\p{L}\\p{N}]{0,20}';
/** A sentence that turns against what was said before it. */
const turn = new RegExp(
  `(?:^|${sentenceStart})(?:but|however|actually|wait|correction|sorry|scratch that|never ?mind|` +
    `on (?:second thoughts?|reflection|closer|further)|I (?:retract|withdraw|take (?:that|this|it) back))(?![\\p{L}\\p{N}])`,
  'iu',
);

/** Whether a later sentence turns against the acceptance or denies its word (`I cannot ACCEPT`). */
function turnsAgainst(rest: string, accept: string): boolean {
  const wanted = literally(accept.normalize('NFC').trim());
  const denied = `(?:not|n['’]t|never)\\s+(?:\\p{L}+\\s+)?["'“‘*_\`]*${wanted}`;
  return turn.test(rest) || new RegExp(denied, 'iu').test(rest);
}

/**
 * A word that stands alone accepts. One that runs on into a sentence accepts when it is written as the
 * word itself is (upper case by default). Neither does where a condition, a negation or a second word
 * follows.
 */
function acceptsPlainly(text: string, after: string, accept: string): boolean {
  const tail = after.slice(closers.exec(after)?.[0].length ?? 0);
  const isBound = nextSentence.test(tail) ? nextCondition.test(tail) : condition.test(tail);
  if (/^\s*\?|^\s*[/|]/.test(tail) || isBound || negative.test(tail)) return false;
  const wanted = accept.normalize('NFC').trim();
  const runsOn = /^[^\S\n\r]+[\p{L}\p{N}]/u.test(tail);
  if (!runsOn) return true;
  if (conditionWithin.test(tail)) return false;
  return text.startsWith(wanted) || text.startsWith(wanted.toUpperCase());
}

function withoutSeparators(text: string): string {
  return text.replace(/^(?:<\/\w+>|[\s*_`"'”’»)\]}$<>:;,.!?…—–-])+/u, '').trim();
}

function orNull(text: string): string | null {
  return text === '' ? null : text;
}
