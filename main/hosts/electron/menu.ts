import type { MenuItemConstructorOptions } from 'electron';

/**
 * The application's menu: editing, zoom and windows, by the platform's own roles and shortcuts. Without it
 * copy and paste have no shortcuts on macOS.
 */
export function menuTemplate(
  platform: NodeJS.Platform,
  isDevelopment: boolean,
): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions[] = [
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { type: 'separator' },
    { role: 'togglefullscreen' },
  ];
  if (isDevelopment)
    view.push({ type: 'separator' }, { role: 'reload' }, { role: 'toggleDevTools' });
  return [
    platform === 'darwin' ? { role: 'appMenu' } : { role: 'fileMenu' },
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
  ];
}
