import { spawn } from 'node:child_process';

/** What decides whether there is a browser to open here. */
export interface OpenPlaces {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** True where a window can be shown: Linux needs a display server for that. */
export function hasDisplay(places: OpenPlaces = process): boolean {
  const { platform, env } = places;
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(env['DISPLAY']) || Boolean(env['WAYLAND_DISPLAY']);
}

/** The system's program that opens an address, with its arguments. */
export function openCommand(url: string, platform: NodeJS.Platform): [string, string[]] {
  switch (platform) {
    case 'darwin':
      return ['open', [url]];
    case 'win32':
      // `start` would need a shell, which reads & and ^ in an address.
      return ['rundll32', ['url.dll,FileProtocolHandler', url]];
    default:
      return ['xdg-open', [url]];
  }
}

/** Opens an address in the person's browser. False when there is none to open: the printed address remains. */
export function openAddress(url: string): Promise<boolean> {
  if (!hasDisplay()) return Promise.resolve(false);
  const [program, args] = openCommand(url, process.platform);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('spawn', () => resolve(true));
  });
}
