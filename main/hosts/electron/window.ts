import { BrowserWindow, type BrowserWindowConstructorOptions } from 'electron';
import { pageAddress } from './page-scheme.ts';

export interface WindowParts {
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** Path of the icon, for window managers that ask the window and not the package. */
  readonly icon: string;
  /** True in a checkout: the inspector can be opened. */
  readonly isDevelopment: boolean;
}

/** Options of the one kind of window: a page without Node, sandboxed, isolated from its preload. */
export function windowOptions(parts: WindowParts): BrowserWindowConstructorOptions {
  return {
    title: 'Trinity Desktop',
    icon: parts.icon,
    width: 1280,
    height: 800,
    minWidth: 640,
    minHeight: 480,
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload: parts.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      // Its dictionaries come from a server of the browser's maker.
      spellcheck: false,
      devTools: parts.isDevelopment,
    },
  };
}

/** Renderer crashes in a row after which a window is left as it is. */
const reloadLimit = 3;

/** Opens the window. A page that crashes is loaded again: runs live in this process and lose nothing. */
export function openWindow(parts: WindowParts): BrowserWindow {
  const window = new BrowserWindow(windowOptions(parts));
  let reloads = 0;
  window.once('ready-to-show', () => window.show());
  window.webContents.on('did-finish-load', () => (reloads = 0));
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit' || window.isDestroyed() || reloads === reloadLimit) return;
    reloads += 1;
    window.webContents.reload();
  });
  void window.loadURL(pageAddress);
  return window;
}

/** Brings a window to the front. */
export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
