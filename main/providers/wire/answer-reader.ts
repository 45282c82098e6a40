import type { FinishReason } from '../../../contracts/events.ts';
import { asProviderError, ProviderError } from '../failure.ts';
import type { SecretForms } from '../secret-forms.ts';
import { AnswerText } from './answer-text.ts';
import { bodyKindOf, type BodyKind } from './body-kind.ts';
import { streamedError } from './error-answer.ts';
import { parseJson, parseLines } from './json-values.ts';
import type { ReportedUsage, StreamEvent, WireAdapter, WireEvent } from './port.ts';
import { createEventCutter, type ServerSentEvent } from './server-sent-events.ts';

/** Bytes of one answer, after decompression. */
const answerBytes = 64 * 1024 * 1024;

/**
 * Reads the body of one answer: bytes go in, stream events come out. Decides by content type and first
 * characters whether the server streams or sends one JSON value, passes over what it cannot understand
 * and counts it, and remembers how the answer ended. It never throws: a failure stands in `failure`, so
 * that what was read before it is not lost.
 */
export class AnswerReader {
  readonly #adapter: WireAdapter;
  readonly #secrets: SecretForms;
  readonly #contentType: string;
  readonly #decoder = new TextDecoder();
  readonly #cutter = createEventCutter();
  readonly #text: AnswerText;
  #kind: BodyKind = 'unknown';
  #whole = '';
  #bytes = 0;
  #skipped = 0;
  #understood = 0;
  #hasContent = false;
  #isDone = false;
  #failure: ProviderError | null = null;
  #finish: FinishReason | null = null;
  #refused = false;
  #usage: ReportedUsage | null = null;
  #model: string | null = null;
  #requestId: string | null;

  constructor(
    adapter: WireAdapter,
    secrets: SecretForms,
    contentType: string | null,
    requestId: string | null,
  ) {
    this.#adapter = adapter;
    this.#secrets = secrets;
    this.#contentType = contentType ?? '';
    this.#text = new AnswerText(secrets);
    this.#requestId = requestId;
  }

  /** Nothing more is wanted: the end mark or a failure was read. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The answer said why it ended; usage or an end mark may still follow. */
  get isFinished(): boolean {
    return this.#finish !== null;
  }

  /** Text or reasoning was read. */
  get hasContent(): boolean {
    return this.#hasContent;
  }

  get failure(): ProviderError | null {
    return this.#failure;
  }

  push(bytes: Uint8Array): StreamEvent[] {
    this.#bytes += bytes.byteLength;
    if (this.#bytes > answerBytes) {
      return this.#fail(
        new ProviderError('answer_too_long', 'The answer is longer than 64 MB and was cut.'),
      );
    }
    const piece = this.#decoder.decode(bytes, { stream: true });
    if (this.#kind === 'events') return this.#cut(() => this.#cutter.push(piece));
    this.#whole += piece;
    if (this.#kind !== 'unknown') return [];
    // Blanks before the first character say nothing, however many a server sends.
    this.#whole = this.#whole.trimStart();
    this.#kind = bodyKindOf(this.#whole, this.#contentType);
    if (this.#kind === 'page') return this.#fail(pageInstead());
    if (this.#kind !== 'events') return [];
    const start = this.#whole;
    this.#whole = '';
    return this.#cut(() => this.#cutter.push(start));
  }

  /** What is left when the body is over, and how the answer ended, if it ended well. */
  end(): StreamEvent[] {
    const events = this.#isDone ? [] : this.#readRest();
    events.push(...this.#flush());
    if (this.#failure === null && this.#finish === null && !this.#isDone) {
      this.#failure = this.#brokenOff();
    }
    if (this.#failure !== null) return events;
    const skippedChunks = this.#skipped + this.#cutter.brokenLines;
    events.push({
      type: 'ended',
      finishReason: this.#refused ? 'refusal' : (this.#finish ?? 'other'),
      usage: this.#usage,
      resolvedModel: this.#model,
      requestId: this.#requestId,
      skippedChunks,
    });
    return events;
  }

  /** What is known of an answer that was cut, and may be billed; then its text still held back. */
  breakOff(): StreamEvent[] {
    return [
      { type: 'broken_off', usage: this.#usage, resolvedModel: this.#model },
      ...this.#flush(),
    ];
  }

  /** Text still held back. */
  #flush(): StreamEvent[] {
    return this.#shown(this.#text.end());
  }

  #readRest(): StreamEvent[] {
    if (this.#kind === 'events') return this.#cut(() => this.#cutter.end());
    if (this.#whole.trim() === '') return [];
    const value = parseJson(this.#whole);
    if (value === undefined) return this.#fail(noAnswer());
    // Gemini without `alt=sse` sends its chunks as one array.
    const events = (Array.isArray(value) ? value : [value]).flatMap((item) =>
      this.#read(item, (whole) => this.#adapter.readWhole(whole)),
    );
    if (this.#failure === null && this.#understood === 0) return this.#fail(noAnswer());
    this.#isDone = true;
    return events;
  }

  #cut(cut: () => ServerSentEvent[]): StreamEvent[] {
    try {
      return cut().flatMap((event) => this.#readEvent(event));
    } catch (error) {
      return this.#fail(asProviderError(error));
    }
  }

  #readEvent({ name, data }: ServerSentEvent): StreamEvent[] {
    if (this.#isDone) return [];
    if (data.trim() === '[DONE]') {
      this.#isDone = true;
      return [];
    }
    return parseLines(data).flatMap((value) => {
      if (value !== undefined) {
        return this.#read(value, (chunk) => this.#adapter.read(chunk, name));
      }
      this.#skipped += 1;
      return [];
    });
  }

  #read(value: unknown, reader: (value: unknown) => readonly WireEvent[] | null): StreamEvent[] {
    if (this.#isDone) return [];
    const events = reader(value);
    if (events === null) {
      this.#skipped += 1;
      return [];
    }
    this.#understood += 1;
    return events.flatMap((event) => this.#take(event));
  }

  #take(event: WireEvent): StreamEvent[] {
    if (this.#isDone) return [];
    switch (event.type) {
      case 'text':
        return this.#shown(this.#text.text(event.text));
      case 'reasoning':
        return this.#shown(this.#text.reasoning(event.text));
      case 'finish':
        this.#finish = event.reason;
        return [];
      case 'refused':
        this.#refused = true;
        return [];
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return [];
      case 'model':
        this.#model ??= this.#safeName(event.model, 300);
        return [];
      case 'request_id':
        this.#requestId ??= this.#safeName(event.id, 128);
        return [];
      case 'done':
        this.#isDone = true;
        return [];
      case 'error':
        return this.#fail(streamedError(event.body, this.#secrets));
    }
  }

  #shown<T extends StreamEvent>(pieces: readonly T[]): StreamEvent[] {
    if (pieces.length > 0) this.#hasContent = true;
    return [...pieces];
  }

  /** Names come from outside too: bounded, in plain characters, and never a secret. */
  #safeName(name: string, characters: number): string | null {
    const isPlain = name.length <= characters && /^[\w.:/@+=~ -]+$/.test(name);
    return isPlain && !this.#secrets.foundIn(name) ? name : null;
  }

  #fail(error: ProviderError): StreamEvent[] {
    this.#failure ??= error;
    this.#isDone = true;
    return [];
  }

  #brokenOff(): ProviderError {
    if (this.#hasContent) {
      return new ProviderError(
        'stream_cut',
        'The answer broke off: the connection ended before it did.',
      );
    }
    if (this.#skipped + this.#cutter.brokenLines > 0 && this.#understood === 0) return noAnswer();
    return new ProviderError(
      'connection_lost',
      'The server closed the connection without an answer.',
    );
  }
}

function mergeUsage(before: ReportedUsage | null, after: ReportedUsage): ReportedUsage {
  return {
    inputTokens: after.inputTokens ?? before?.inputTokens ?? null,
    cachedInputTokens: after.cachedInputTokens ?? before?.cachedInputTokens ?? null,
    outputTokens: after.outputTokens ?? before?.outputTokens ?? null,
    reasoningTokens: after.reasoningTokens ?? before?.reasoningTokens ?? null,
  };
}

function pageInstead(): ProviderError {
  return new ProviderError(
    'wrong_content_type',
    'The server answered with a web page instead of a model’s answer. Check the base URL.',
  );
}

function noAnswer(): ProviderError {
  return new ProviderError(
    'malformed_answer',
    'The server answered with something that is no model’s answer. Check the base URL and the provider.',
  );
}
