import type { Session, WebContents } from 'electron';
import { pageAddress, pageOrigin } from './page-scheme.ts';

/** Addresses that may be opened in other programs. A file or an unknown scheme can start anything. */
const externalSchemes = ['https:', 'http:', 'mailto:'];
/** What the page may load. Its own files; `devtools:` is the inspector of a development build. */
const pageSchemes = ['app:', 'data:', 'blob:', 'devtools:'];

/** Opens an address outside, where its scheme is allowed. */
export type OpenExternal = (url: string) => void;

/** True for an address that may be handed to the system's browser or mail program. */
export function mayOpenExternally(url: string): boolean {
  return URL.canParse(url) && externalSchemes.includes(new URL(url).protocol);
}

/**
 * Denies a session every permission, device and request to the network. The one exception is writing text to
 * the clipboard, which the page's copy buttons need.
 */
export function guardSession(session: Session): void {
  const mayAsk = (permission: string, origin: string): boolean =>
    permission === 'clipboard-sanitized-write' && origin === pageOrigin;
  session.setPermissionRequestHandler((_contents, permission, answer, details) =>
    answer(mayAsk(permission, originOf(details.requestingUrl))),
  );
  session.setPermissionCheckHandler((_contents, permission, origin) =>
    mayAsk(permission, originOf(origin)),
  );
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  session.webRequest.onBeforeRequest((details, answer) =>
    answer({ cancel: !pageSchemes.includes(new URL(details.url).protocol) }),
  );
}

/**
 * Keeps a window's contents on their page: no navigation, no new window, no webview. A link to the web opens
 * in the system's browser.
 */
export function guardContents(contents: WebContents, openExternal: OpenExternal): void {
  contents.setWindowOpenHandler(({ url }) => {
    if (mayOpenExternally(url)) openExternal(url);
    return { action: 'deny' };
  });
  contents.on('will-frame-navigate', (event) => {
    const isReload = event.isMainFrame && event.url === pageAddress;
    if (!isReload) event.preventDefault();
  });
  contents.on('will-redirect', (event) => event.preventDefault());
  contents.on('will-attach-webview', (event) => event.preventDefault());
}

function originOf(url: string): string {
  return /^app:\/\/[^/]*/.exec(url)?.[0] ?? '';
}
