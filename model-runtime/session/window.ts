import type { Message } from '../../contracts/transcript.ts';

export interface WindowLimits {
  /** Tokens the router may read; null reads every message. */
  readonly windowTokens: number | null;
  /** Characters (UTF-16 units) read of one message; null reads all of it. */
  readonly messageCharacters: number | null;
}

export interface Windowed {
  readonly messages: readonly Message[];
  /** `omitted`: messages left out. `cut`: messages shortened in the middle. */
  readonly report: {
    readonly limit: number | null;
    readonly omitted: number;
    readonly cut: number;
  };
}

/** Stands where the middle of a message was taken out. */
export const cutMark = ' […] ';

/**
 * What the router reads of a transcript.
 *
 * A message longer than `messageCharacters` keeps its two ends. When the transcript grows past
 * `windowTokens`, its oldest messages after the system message and the first user message are left out
 * until half of the window is reached; that cut stays until the window is exceeded again, so that a
 * prefix once read keeps its worth. A message too long for the window alone is cut in the middle.
 *
 * A pure fold: each message is placed knowing only those before it, so a transcript windowed from nothing
 * gives what the growing one gave.
 *
 * @param countTokens tokens of one transcript line, its newline included
 */
export function windowTranscript(
  messages: readonly Message[],
  limits: WindowLimits,
  countTokens: (line: string) => number,
): Windowed {
  const capped = messages.map((message) => shortened(message, limits.messageCharacters));
  if (limits.windowTokens === null) {
    return {
      messages: capped,
      report: { limit: null, omitted: 0, cut: count(capped, messages) },
    };
  }
  const kept = fold(capped, limits.windowTokens, countTokens);
  return {
    messages: kept.map((placed) => placed.message),
    report: {
      limit: limits.windowTokens,
      omitted: messages.length - kept.length,
      cut: kept.filter((placed) => placed.message !== messages[placed.index]).length,
    },
  };
}

interface Placed {
  readonly index: number;
  readonly message: Message;
  readonly tokens: number;
  /** The system message and the first user message stay whatever happens. */
  readonly stays: boolean;
}

function fold(
  messages: readonly Message[],
  limit: number,
  countTokens: (line: string) => number,
): Placed[] {
  const firstUser = messages.findIndex((message) => message.role === 'user');
  let kept: Placed[] = [];
  messages.forEach((original, index) => {
    const isSystem = index === 0 && original.role === 'system';
    const isFirstUser = index === firstUser;
    const room = roomFor(isSystem, isFirstUser, kept, limit);
    const message = fitted(original, room, countTokens);
    const placed = { index, message, tokens: lineTokens(message, countTokens) };
    kept.push({ ...placed, stays: isSystem || isFirstUser });
    if (total(kept) > limit) kept = reduced(kept, limit / 2);
  });
  return kept;
}

/**
 * Tokens one message may take: a quarter of the window for the system message, three quarters for it and
 * the first user message together; any other has what those two leave, a quarter at least.
 */
function roomFor(
  isSystem: boolean,
  isFirstUser: boolean,
  kept: readonly Placed[],
  limit: number,
): number {
  const standing = total(kept.filter((placed) => placed.stays));
  if (isSystem) return Math.floor(limit / 4);
  return isFirstUser ? Math.floor((limit * 3) / 4) - standing : limit - standing;
}

/** Drops the oldest messages that may go, never the last, until at most `goal` tokens are left. */
function reduced(kept: readonly Placed[], goal: number): Placed[] {
  let tokens = total(kept);
  return kept.filter((placed, position) => {
    if (tokens <= goal || placed.stays || position === kept.length - 1) return true;
    tokens -= placed.tokens;
    return false;
  });
}

/** The message with as much of both ends as fits `room` tokens. */
function fitted(message: Message, room: number, countTokens: (line: string) => number): Message {
  let tokens = lineTokens(message, countTokens);
  let result = message;
  let characters = message.content.length;
  while (tokens > room && characters > 0) {
    characters = Math.floor(Math.min((characters * room) / tokens, characters * 0.95));
    result = shortened(message, characters);
    tokens = lineTokens(result, countTokens);
  }
  return result;
}

/** The message with at most `characters` of its content and the mark in the middle. */
function shortened(message: Message, characters: number | null): Message {
  const { content } = message;
  if (characters === null || content.length <= characters) return message;
  const head = content.slice(0, Math.ceil(characters / 2));
  const tail = characters < 2 ? '' : content.slice(-Math.floor(characters / 2));
  return {
    role: message.role,
    content: `${withoutHalfPair(head, 'end')}${cutMark}${withoutHalfPair(tail, 'start')}`,
  };
}

/** A cut may split a surrogate pair: the lone half is dropped. */
function withoutHalfPair(text: string, side: 'start' | 'end'): string {
  return side === 'end'
    ? text.replace(/[\uD800-\uDBFF]$/, '')
    : text.replace(/^[\uDC00-\uDFFF]/, '');
}

function lineTokens(message: Message, countTokens: (line: string) => number): number {
  return countTokens(`${message.role}: ${message.content}\n`);
}

function total(kept: readonly Placed[]): number {
  return kept.reduce((sum, placed) => sum + placed.tokens, 0);
}

function count(shown: readonly Message[], original: readonly Message[]): number {
  return shown.filter((message, index) => message !== original[index]).length;
}
