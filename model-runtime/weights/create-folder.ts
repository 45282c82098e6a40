import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that only its owner may enter (mode 0700), and the missing ones above it. One that is there
 * already is left as it is.
 *
 * Not Node's own `recursive`: that one tries for ever where a folder exists and none can be made in it, as
 * below /proc.
 *
 * @throws the file system's error; `EEXIST` where a file stands in its place
 */
export function createFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) createFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // It is there, perhaps because another program has just made it.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}
