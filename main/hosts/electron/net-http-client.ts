import { Readable } from 'node:stream';
import type { ClientRequest, IncomingMessage, Net, Session } from 'electron';
import type { HttpClient, HttpRequest } from '../../../contracts/ports.ts';

/** Statuses whose responses have no body; `Response` refuses one. */
const bodilessStatuses = [204, 205, 304];

/**
 * HTTP over Chromium's network stack: the system's proxy and certificates. Calls share a session of their own,
 * without cookies, cache or stored credentials.
 */
export function createNetHttpClient(net: Pick<Net, 'request'>, session: Session): HttpClient {
  return (url, request) => {
    request.signal.throwIfAborted();
    const call = net.request({
      method: request.method,
      url,
      session,
      headers: { ...request.headers },
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      priority: 'medium',
    });
    return send(call, request);
  };
}

function send(call: ClientRequest, request: HttpRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    let body: Readable | null = null;
    const abort = (): void => {
      const reason: unknown = request.signal.reason;
      const error = reason instanceof Error ? reason : new Error('aborted', { cause: reason });
      body?.destroy(error);
      reject(error);
      call.abort();
    };
    request.signal.addEventListener('abort', abort, { once: true });
    call.on('close', () => request.signal.removeEventListener('abort', abort));
    call.on('error', (error) => {
      body?.destroy(error);
      reject(error);
    });
    call.on('redirect', (status, _method, _url, headers) => {
      resolve(new Response(null, { status, headers: headerList(headers) }));
      call.abort();
    });
    call.on('response', (message) => {
      // Electron's response is a Readable of Node; its types say only that it emits.
      body = message as unknown as Readable;
      resolve(responseOf(message, body));
    });
    if (request.body !== undefined) call.write(request.body);
    call.end();
  });
}

function responseOf(message: IncomingMessage, body: Readable): Response {
  const { statusCode: status, statusMessage: statusText } = message;
  const headers = headerList(message.headers);
  if (bodilessStatuses.includes(status)) {
    body.on('error', () => undefined).resume();
    return new Response(null, { status, statusText, headers });
  }
  return new Response(Readable.toWeb(body), { status, statusText, headers });
}

function headerList(headers: Record<string, string | string[]>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, one]),
  );
}
