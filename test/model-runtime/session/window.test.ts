import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../../contracts/transcript.ts';
import { cutMark, windowTranscript } from '../../../model-runtime/session/window.ts';

/** A token for every character, so that sizes can be read off the messages. */
const countCharacters = (line: string): number => line.length;

/** A message whose line has exactly `tokens` tokens under `countCharacters`. */
function sized(role: Message['role'], tokens: number, letter: string): Message {
  return { role, content: letter.repeat(tokens - `${role}: \n`.length) };
}

function letters(messages: readonly Message[]): string {
  return messages.map((message) => message.content[0]).join('');
}

const chat = { windowTokens: 1000, messageCharacters: null };

describe('windowTranscript', () => {
  it('reads a transcript that fits as it is', () => {
    const messages = [sized('user', 400, 'a'), sized('assistant', 600, 'b')];
    const { messages: read, report } = windowTranscript(messages, chat, countCharacters);
    expect(read).toEqual(messages);
    expect(report).toEqual({ limit: 1000, omitted: 0, cut: 0 });
  });

  it('leaves out the oldest messages after the system and first user message, down to half', () => {
    const messages = [
      sized('system', 100, 's'),
      sized('user', 100, 'a'),
      ...['b', 'c', 'd', 'e'].map((letter) => sized('assistant', 200, letter)),
      sized('user', 101, 'f'),
    ];
    const { messages: read, report } = windowTranscript(messages, chat, countCharacters);
    expect(letters(read)).toBe('saf');
    expect(report).toEqual({ limit: 1000, omitted: 4, cut: 0 });
  });

  it('holds a cut until the window is exceeded again', () => {
    const turns = [...'bcdefghijklmnop'].map((letter) => sized('assistant', 100, letter));
    const shown = turns.map((_, end) => {
      const messages = [sized('user', 100, 'a'), ...turns.slice(0, end + 1)];
      return letters(windowTranscript(messages, chat, countCharacters).messages);
    });
    expect(shown.slice(8, 15)).toEqual([
      'abcdefghij',
      'ahijk',
      'ahijkl',
      'ahijklm',
      'ahijklmn',
      'ahijklmno',
      'ahijklmnop',
    ]);
  });

  it('cuts the middle of a message that cannot fit and says so', () => {
    const messages = [sized('user', 5000, 'a')];
    const { messages: read, report } = windowTranscript(messages, chat, countCharacters);
    expect(read[0]!.content).toMatch(/^a+ \[…\] a+$/);
    expect(countCharacters(`user: ${read[0]!.content}\n`)).toBeLessThanOrEqual(750);
    expect(report).toEqual({ limit: 1000, omitted: 0, cut: 1 });
  });

  it('caps the characters of each message, without halving a surrogate pair', () => {
    const limits = { windowTokens: null, messageCharacters: 5 };
    const { messages: read, report } = windowTranscript(
      [
        { role: 'user', content: '0123456789' },
        { role: 'assistant', content: '01😀3456😀' },
        { role: 'user', content: '01234' },
      ],
      limits,
      countCharacters,
    );
    expect(read.map((message) => message.content)).toEqual([
      `012${cutMark}89`,
      `01${cutMark}😀`,
      '01234',
    ]);
    expect(report).toEqual({ limit: null, omitted: 0, cut: 2 });
  });

  it('reads everything when nothing is limited', () => {
    const messages = [sized('user', 50_000, 'a')];
    const limits = { windowTokens: null, messageCharacters: null };
    expect(windowTranscript(messages, limits, countCharacters).messages).toEqual(messages);
  });

  const role = fc.constantFrom<Message['role']>('system', 'user', 'assistant');
  const transcript = fc.array(
    fc.record({ role, content: fc.integer({ min: 0, max: 1500 }).map((n) => 'x'.repeat(n)) }),
    { minLength: 1, maxLength: 25 },
  );

  it('never exceeds the window and always ends with the last message', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const { messages: read } = windowTranscript(messages, chat, countCharacters);
        const tokens = read.reduce((sum, m) => sum + `${m.role}: ${m.content}\n`.length, 0);
        expect(tokens).toBeLessThanOrEqual(1000);
        expect(read.at(-1)!.role).toBe(messages.at(-1)!.role);
      }),
    );
  });

  it('grows by appending, or by a cut to half: what was read before stays the prefix', () => {
    fc.assert(
      fc.property(transcript, (messages) => {
        const before = windowTranscript(messages.slice(0, -1), chat, countCharacters).messages;
        const after = windowTranscript(messages, chat, countCharacters).messages;
        const grown = JSON.stringify(after.slice(0, -1)) === JSON.stringify(before);
        const tokens = after.reduce((sum, m) => sum + `${m.role}: ${m.content}\n`.length, 0);
        const dropped = after.length <= before.length;
        expect(grown || (dropped && (tokens <= 500 || after.length <= 3))).toBe(true);
      }),
    );
  });
});
