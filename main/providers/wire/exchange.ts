import type { Clock, HttpClient } from '../../../contracts/ports.ts';
import type { SlotTimeouts } from '../../../contracts/slots.ts';
import { ProviderError } from '../failure.ts';
import type { Preset } from '../presets.ts';
import type { SecretForms } from '../secret-forms.ts';
import { AnswerReader } from './answer-reader.ts';
import { Deadlines } from './deadlines.ts';
import { errorAnswer } from './error-answer.ts';
import { networkError } from './network-error.ts';
import type { StreamEvent, StreamRequest, WireAdapter } from './port.ts';

/** Where a call goes and what it may say to whom. */
export interface Target {
  readonly adapter: WireAdapter;
  readonly preset: Preset;
  readonly baseUrl: string;
  /** Key and header secrets, opened for this base URL's origin. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  readonly secrets: SecretForms;
  readonly timeouts: SlotTimeouts;
}

export interface ExchangeParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** How long usage or an end mark may follow a complete answer before the connection is closed. */
  readonly settleMs: number;
}

/**
 * One streamed call over HTTP: sends the request, reads the answer as its bytes arrive, closes the
 * connection when the answer, a deadline or the signal ends it. Makes one attempt and no more.
 *
 * @throws ProviderError for everything that goes wrong; what was yielded before stays valid
 */
export async function* exchange(
  parts: ExchangeParts,
  target: Target,
  request: StreamRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, void> {
  const deadlines = new Deadlines(parts.clock, target.timeouts, signal);
  let body: ReadableStreamDefaultReader<Uint8Array> | null = null;
  let answer: AnswerReader | null = null;
  try {
    const response = await send(parts, target, request, deadlines);
    const requestId = requestIdOf(response.headers, target.secrets);
    if (response.body === null) throw emptyAnswer();
    body = response.body.getReader();
    const contentType = response.headers.get('content-type');
    answer = new AnswerReader(target.adapter, target.secrets, contentType, requestId);
    while (!answer.isDone) {
      const { done, value } = await read(body, deadlines);
      if (done || value === undefined) break;
      deadlines.bytesArrived();
      const events = answer.push(value);
      if (events.length > 0) deadlines.tokenArrived();
      yield* events;
      if (answer.isFinished) deadlines.settle(parts.settleMs);
    }
    yield* answer.end();
    if (answer.failure !== null) throw answer.failure;
  } catch (error) {
    // What was held back when the answer was cut is part of what came.
    if (answer !== null) yield* answer.breakOff();
    throw inWords(error, deadlines, signal, answer?.hasContent);
  } finally {
    // Closing aborts the request, which closes a socket that is still open; a second cancel is harmless.
    deadlines.close();
    void body?.cancel().catch(() => undefined);
  }
}

async function send(
  { http, clock }: ExchangeParts,
  target: Target,
  request: StreamRequest,
  deadlines: Deadlines,
): Promise<Response> {
  const payload = target.adapter.payload(request, target.preset);
  const response = await untilAborted(
    http(joinUrl(target.baseUrl, payload.path), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...payload.headers,
        ...target.secretHeaders,
      },
      body: JSON.stringify(payload.body),
      signal: deadlines.signal,
      connectTimeoutMs: target.timeouts.connectMs,
    }),
    deadlines.signal,
  );
  await refuseUnlessGood(response, target.secrets, clock.now(), deadlines.signal);
  return response;
}

/**
 * Passes a 2xx answer on; anything else is thrown in this room's words, its body read to at most 64 KB.
 *
 * @throws ProviderError
 */
export async function refuseUnlessGood(
  response: Response,
  secrets: SecretForms,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  if (response.status >= 200 && response.status < 300) return;
  if (response.status >= 300 && response.status < 400) {
    void response.body?.cancel().catch(() => undefined);
    throw new ProviderError(
      'redirected',
      'The server points to another address. It was not followed, so that the key stays here: put the final address into the base URL.',
      { httpStatus: response.status },
    );
  }
  const body = await readStart(response, signal);
  throw errorAnswer({ status: response.status, headers: response.headers, body }, secrets, now);
}

const errorBodyBytes = 64 * 1024;

async function readStart(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    while (bytes < errorBodyBytes) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) break;
      bytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // The status has said what matters; a body that breaks off adds nothing to it.
    if (signal.aborted) throw error;
  } finally {
    void reader.cancel().catch(() => undefined);
  }
  return text.slice(0, errorBodyBytes);
}

/** Reads on; an answer that was complete when its time to settle ran out counts as ended. */
async function read(
  body: ReadableStreamDefaultReader<Uint8Array>,
  deadlines: Deadlines,
): Promise<{ done: boolean; value?: Uint8Array | undefined }> {
  try {
    return await untilAborted(body.read(), deadlines.signal);
  } catch (error) {
    if (deadlines.cause === 'settled') return { done: true };
    throw error;
  }
}

/** The promise, or a rejection as soon as the signal aborts: no host's network stack delays a Stop. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(new DOMException('aborted', 'AbortError'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Anything thrown during an exchange, as what a person was waiting for. */
export function inWords(
  error: unknown,
  deadlines: Deadlines,
  signal: AbortSignal,
  hasContent = false,
): ProviderError {
  if (signal.aborted)
    return new ProviderError('stopped', 'The call was stopped.', { cause: error });
  switch (deadlines.cause) {
    case 'first_token':
      return timeout(
        'first_token_timeout',
        'The model did not begin to answer in the time set for this slot.',
      );
    case 'idle':
      return timeout(
        'idle_timeout',
        'The answer stopped coming in for longer than this slot allows.',
      );
    case 'total':
      return timeout('total_timeout', 'The answer took longer than this slot allows.');
    case 'settled':
    case null:
      return error instanceof ProviderError ? error : networkError(error, hasContent);
  }
}

function timeout(
  code: 'first_token_timeout' | 'idle_timeout' | 'total_timeout',
  message: string,
): ProviderError {
  return new ProviderError(code, message);
}

function emptyAnswer(): ProviderError {
  return new ProviderError(
    'connection_lost',
    'The server closed the connection without an answer.',
  );
}

/** Joins without losing the base's own path: `https://host/v1` + `chat` is `https://host/v1/chat`. */
export function joinUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/${path}`;
}

function requestIdOf(headers: Headers, secrets: SecretForms): string | null {
  const id = headers.get('x-request-id') ?? headers.get('request-id');
  return id !== null && /^[\w.:/=+-]{1,128}$/.test(id) && !secrets.foundIn(id) ? id : null;
}
