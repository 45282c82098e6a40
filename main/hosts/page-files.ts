import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { HostError } from './host-error.ts';

/** One file of the built page, ready to be sent. */
export interface PageFile {
  readonly body: Buffer<ArrayBuffer>;
  readonly contentType: string;
  /** True for files whose name carries a hash of their content: they may be kept for ever. */
  readonly isImmutable: boolean;
}

/** The built page. Both hosts serve it: over HTTP and under `app://`. */
export interface PageFiles {
  /**
   * @param path the path of a URL, undecoded, with its leading slash
   * @returns the file; `refused` for a path that tries to leave the page, plain or encoded; null for no such file
   */
  find(path: string): PageFile | 'refused' | null;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * Reads the built page into memory: a few megabytes, once. What is served is exactly what was found in that
 * folder at the start, so no path can reach another file.
 *
 * @throws HostError `page_missing` when there is no index.html
 */
export function loadPageFiles(folder: string): PageFiles {
  const files = new Map<string, PageFile>();
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const contentType = contentTypes[extname(entry.name)];
      if (!entry.isFile() || contentType === undefined) continue;
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length).replaceAll('\\', '/').replace(/^\/*/, '/');
      const isImmutable = name.startsWith('/assets/');
      files.set(name, { body: readFileSync(path), contentType, isImmutable });
    }
  } catch (cause) {
    throw missing(folder, cause);
  }
  const index = files.get('/index.html');
  if (index === undefined) throw missing(folder, undefined);
  files.set('/', index);
  return {
    find(path) {
      const name = decodePath(path);
      return name === null ? 'refused' : (files.get(name) ?? null);
    },
  };
}

function missing(folder: string, cause: unknown): HostError {
  return new HostError(
    'page_missing',
    `The page is not built in ${folder}: run \`npm run build\`.`,
    {
      cause,
    },
  );
}

/**
 * A path decoded once. Null when a part of it, decoded once or more, names a parent or carries a separator,
 * a NUL or a drive: nothing of ours is called so.
 */
function decodePath(path: string): string | null {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const isHostile =
    !decoded.startsWith('/') ||
    decoded.startsWith('//') ||
    /[\\\0:%]/.test(decoded) ||
    /%(2f|5c|00)/i.test(path) ||
    decoded.split('/').some((part) => part === '..' || part === '.');
  return isHostile ? null : decoded;
}
