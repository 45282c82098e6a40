import { plainAnswer, type Answer } from './answers.ts';
import {
  startScriptedServer,
  type RecordedRequest,
  type Reply,
  type ScriptedServer,
} from './scripted-server.ts';

/** What can be wrong with a request; every format says it in its own words. */
export type RequestFault = 'bad_key' | 'no_model' | 'rate_limit' | 'no_credit' | 'server_error';

/** A wire format from the server's side, written from its provider's public documentation. */
export interface ProviderFormat {
  /** Preset whose format this is. */
  readonly preset: string;
  /** Path under which the API lives: part of the base URL. */
  readonly basePath: string;
  isAuthorised(request: RecordedRequest, key: string): boolean;
  wantsStream(request: RecordedRequest): boolean;
  /** An answer as server-sent events, each with its blank line; the last ones end the stream. */
  frames(answer: Answer): string[];
  /** The same answer as one JSON value. */
  whole(answer: Answer): object;
  /** How the format says no. */
  fault(kind: RequestFault): { status: number; body: object };
  readonly modelList: object;
}

export interface ProviderServerOptions {
  readonly answer?: (request: RecordedRequest, nth: number) => Answer | Reply;
  /** What the list of models gets; by default the format's list. */
  readonly list?: Reply;
  /** Demanded of every request when given. */
  readonly key?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A local server of a wire format, over real HTTP or real TLS. */
export function startProviderServer(
  format: ProviderFormat,
  options: ProviderServerOptions = {},
): Promise<ScriptedServer> {
  return startScriptedServer((request, nth) => {
    if (options.key !== undefined && !format.isAuthorised(request, options.key)) {
      return faultReply(format, 'bad_key');
    }
    if (request.method === 'GET') return options.list ?? jsonReply(200, format.modelList);
    const answer = options.answer?.(request, nth) ?? plainAnswer;
    if ('steps' in answer) return answer;
    return format.wantsStream(request)
      ? streamReply(format, answer)
      : jsonReply(200, format.whole(answer));
  }, options.tls ?? null);
}

export const streamHeaders = { 'content-type': 'text/event-stream; charset=utf-8' };

/** An answer streamed to its end, one write an event. */
export function streamReply(format: ProviderFormat, answer: Answer): Reply {
  return {
    headers: streamHeaders,
    steps: [...format.frames(answer).map((write) => ({ write })), { end: true }],
  };
}

export function faultReply(format: ProviderFormat, kind: RequestFault): Reply {
  const { status, body } = format.fault(kind);
  return jsonReply(status, body);
}

export function jsonReply(
  status: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    steps: [{ write: JSON.stringify(value) }, { end: true }],
  };
}

/** A server-sent event; `name` only where the format names its events. */
export function frame(value: object, name?: string): string {
  const event = name === undefined ? '' : `event: ${name}\n`;
  return `${event}data: ${JSON.stringify(value)}\n\n`;
}
