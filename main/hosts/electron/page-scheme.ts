import type { Protocol } from 'electron';
import { pageHost, pageScheme } from '../../../contracts/app/page-port.ts';
import { contentSecurityPolicy, isolationHeaders } from '../content-security.ts';
import type { PageFiles } from '../page-files.ts';

export const pageOrigin = `${pageScheme}://${pageHost}`;
export const pageAddress = `${pageOrigin}/`;

/** Declares `app://` as a standard, secure scheme. Once, and before the app is ready. */
export function declarePageScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: pageScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/** Serves the built page under `app://bundle/` of one session, with the headers of the browser host. */
export function servePage(protocol: Pick<Protocol, 'handle'>, page: PageFiles): void {
  protocol.handle(pageScheme, (request) => answer(request, page));
}

function answer(request: Pick<Request, 'url' | 'method'>, page: PageFiles): Response {
  const [, host = '', path = '/'] = /^app:\/\/([^/?#]*)([^?#]*)/.exec(request.url) ?? [];
  if (host !== pageHost) return refusal(421, 'This is not that host.');
  if (request.method !== 'GET' && request.method !== 'HEAD') return refusal(405, 'Only GET.');
  const file = page.find(path === '' ? '/' : path);
  if (file === 'refused') return refusal(400, 'That path is refused.');
  if (file === null) return refusal(404, 'There is no such file.');
  return new Response(request.method === 'HEAD' ? null : file.body, {
    headers: headers(file.contentType),
  });
}

function refusal(status: number, reason: string): Response {
  return new Response(`${reason}\n`, { status, headers: headers('text/plain; charset=utf-8') });
}

function headers(contentType: string): Record<string, string> {
  return {
    ...isolationHeaders,
    'content-security-policy': contentSecurityPolicy(),
    'content-type': contentType,
  };
}
