import type { Clock } from '../../../contracts/ports.ts';
import { ProviderError } from '../failure.ts';
import { sleep } from '../sleep.ts';
import type { StreamEvent, StreamRequest } from '../wire/port.ts';
import { rehearsalReply } from './replies.ts';
import type { RehearsalEntry, RehearsalScript } from './script.ts';

export interface RehearsalParts {
  readonly clock: Clock;
  /** Pause between two pieces of text, in milliseconds; 0 turns pacing off. */
  readonly paceMs: number;
  /** Exact replies and faults; null leaves every answer to the built-in ones. */
  readonly script: RehearsalScript | null;
}

export type RehearsalStream = (
  request: StreamRequest,
  signal: AbortSignal,
) => AsyncGenerator<StreamEvent, void, void>;

/**
 * Agents that speak without a network: the same request gets the same pieces in the same order. Text is
 * cut at words, as providers cut it, so that everything downstream sees a real stream.
 *
 * The stream throws what a script tells it to, and ProviderError `stopped` when its signal aborts.
 */
export function createRehearsalStream({ clock, paceMs, script }: RehearsalParts): RehearsalStream {
  const used = new Map<RehearsalEntry, number>();

  return async function* rehearse(request, signal) {
    const entry = script === null ? null : takeEntry(script, used, request);
    const { reasoning, text } =
      entry === null ? rehearsalReply(request) : { reasoning: entry.reasoning, text: entry.reply };

    if (entry?.stall === 'before') await untilStopped(signal);
    for (const [type, whole] of [
      ['reasoning', reasoning],
      ['text', text],
    ] as const) {
      for (const piece of pieces(whole)) {
        if (paceMs > 0) await sleep(clock, paceMs, signal);
        if (signal.aborted) throw stopped();
        yield { type, text: piece };
      }
    }
    if (entry?.stall === 'after') await untilStopped(signal);
    if (entry?.error !== undefined) throw scriptedError(entry.error);

    yield {
      type: 'ended',
      finishReason: entry?.finishReason ?? 'stop',
      usage: null,
      resolvedModel: null,
      requestId: null,
      skippedChunks: entry?.skippedChunks ?? 0,
    };
  };
}

/** The first entry that matches and has calls left; counts the call. */
function takeEntry(
  script: RehearsalScript,
  used: Map<RehearsalEntry, number>,
  request: StreamRequest,
): RehearsalEntry | null {
  const last = request.view.messages.at(-1)?.content ?? '';
  for (const entry of script.entries) {
    const { role, slot, turn, contains } = entry.when;
    if (role !== undefined && role !== request.role) continue;
    if (slot !== undefined && slot !== request.slot) continue;
    if (turn !== undefined && turn !== request.turn) continue;
    if (contains !== undefined && !last.includes(contains)) continue;
    const calls = used.get(entry) ?? 0;
    if (entry.times !== undefined && calls >= entry.times) continue;
    used.set(entry, calls + 1);
    return entry;
  }
  return null;
}

/** Words with the space before them. A word of over 40 characters is cut, never inside a code point. */
function pieces(text: string): string[] {
  return text.match(/\s*(?:[^\s]{1,40}|$)/gu)?.filter((piece) => piece !== '') ?? [];
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(stopped());
    else signal.addEventListener('abort', () => reject(stopped()), { once: true });
  });
}

function stopped(): ProviderError {
  return new ProviderError('stopped', 'The call was stopped.');
}

function scriptedError(error: NonNullable<RehearsalEntry['error']>): ProviderError {
  return new ProviderError(error.code, `The rehearsal script fails here with ${error.code}.`, {
    ...(error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus }),
    retryAfterMs: error.retryAfterMs ?? null,
  });
}
