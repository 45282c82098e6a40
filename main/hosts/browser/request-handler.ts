import type { IncomingMessage, ServerResponse } from 'node:http';
import { enterPath, enterRequestSchema, sessionPath } from '../../../contracts/app/handshake.ts';
import { contentSecurityPolicy, isolationHeaders } from '../content-security.ts';
import type { PageFile, PageFiles } from '../page-files.ts';
import { enterPage, enterPagePolicy } from './enter-page.ts';
import type { Refusal, RequestChecks } from './request-checks.ts';
import type { Sessions } from './sessions.ts';

/** Bytes of a request body that are read: one token in JSON. */
const bodyLimit = 1_024;

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestHandlerOptions {
  readonly page: PageFiles;
  readonly sessions: Sessions;
  readonly checks: RequestChecks;
  readonly cookieName: string;
}

/**
 * Answers plain HTTP: the page's files for those who are in, the door for those who are not, and the trade of
 * a one-time token for a session. Everything that changes something goes over the socket.
 */
export function createRequestHandler(
  options: RequestHandlerOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    answerTo(request, options).then(
      (answer) => send(request, response, answer),
      // The request broke off or was too long: there is nobody to explain it to.
      () => response.destroy(),
    );
  };
}

async function answerTo(request: IncomingMessage, options: RequestHandlerOptions): Promise<Answer> {
  const { checks } = options;
  const foreign = checks.address(request);
  if (foreign !== null) return plain(foreign);
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (request.method === 'POST' && path === sessionPath) return enter(request, options);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return plain(
      checks.page(request) ?? { status: 405, reason: 'Nothing can be changed here over HTTP.' },
    );
  }
  if (path === enterPath) return door(200);
  // A page whose socket was refused asks why: the browser does not tell it.
  if (path === sessionPath) return plain(checks.page(request) ?? { status: 200, reason: 'In.' });
  const stranger = checks.cookie(request);
  if (stranger !== null) return path === '/' ? door(stranger.status) : plain(stranger);
  const file = options.page.find(path);
  if (file === 'refused') return plain({ status: 400, reason: 'That path is refused.' });
  if (file === null) return plain({ status: 404, reason: 'There is no such file.' });
  return pageFile(file, request.headers.host ?? '');
}

async function enter(
  request: IncomingMessage,
  { sessions, checks, cookieName }: RequestHandlerOptions,
): Promise<Answer> {
  const body = enterRequestSchema.safeParse(parseJson(await readBody(request)));
  const known = checks.cookieOf(request);
  const session = body.success ? sessions.enter(body.data.token, known) : null;
  if (session === null) return json(401, { isKnown: sessions.hasCookie(known) });
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/'];
  if (request.headers.origin?.startsWith('https:') === true) attributes.push('Secure');
  return json(
    200,
    { secret: session.pageSecret },
    { 'set-cookie': [`${cookieName}=${session.cookie}`, ...attributes].join('; ') },
  );
}

function door(status: number): Answer {
  return {
    status,
    contentType: 'text/html; charset=utf-8',
    body: enterPage,
    headers: { 'content-security-policy': enterPagePolicy },
  };
}

function pageFile(file: PageFile, host: string): Answer {
  return {
    status: 200,
    contentType: file.contentType,
    body: file.body,
    headers: {
      // 'self' covers the socket in current browsers; older ones want it spelt out.
      'content-security-policy': contentSecurityPolicy([`ws://${host}`, `wss://${host}`]),
      ...(file.isImmutable ? { 'cache-control': 'private, max-age=31536000, immutable' } : {}),
    },
  };
}

function plain({ status, reason }: NonNullable<Refusal>): Answer {
  return {
    status,
    contentType: 'text/plain; charset=utf-8',
    body: `${reason}\n`,
  };
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, contentType: 'application/json', body: JSON.stringify(value), headers };
}

function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const isRefused = answer.status >= 400;
  response.writeHead(answer.status, {
    ...isolationHeaders,
    'content-security-policy': contentSecurityPolicy(),
    'cache-control': 'no-store',
    'content-type': answer.contentType,
    'content-length': Buffer.byteLength(answer.body),
    ...(isRefused ? { connection: 'close' } : {}),
    ...answer.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : answer.body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimit) throw new Error('body too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
