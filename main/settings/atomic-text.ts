import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The file operations of an atomic write; passed in so that tests can fail each of them. */
export interface FileOperations {
  readonly open: (path: string, flags: string, mode?: number) => Promise<FileHandle>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
}

const nodeFiles: FileOperations = { open, rename, unlink };

/**
 * Writes a small text file, mode 0600, so that a reader sees the old one or the whole new one, after a
 * crash too: a temporary file in the same folder, fsync, rename, fsync of the folder.
 *
 * @param tag makes the temporary file's name this write's own
 * @throws the system's error; then the old file is unchanged and no temporary file is left
 */
export async function writeTextAtomically(
  path: string,
  text: string,
  tag: string,
  files: FileOperations = nodeFiles,
): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${tag}.tmp`);
  try {
    const handle = await files.open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(temporary, path);
  } catch (error) {
    await files.unlink(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder, files);
}

async function syncFolder(folder: string, files: FileOperations): Promise<void> {
  // Windows opens no folders; there the rename itself is what durability there is.
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
