import { createHash } from 'node:crypto';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileFault, WeightsError } from './weights-error.ts';

/** The file operations that an atomic write makes; passed in so that tests can fail each of them. */
export interface FileOperations {
  readonly open: (path: string, flags: string, mode?: number) => Promise<FileHandle>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
}

const nodeFiles: FileOperations = { open, rename, unlink };

/** A finished file. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex sha256 of the whole file. */
  readonly sha256: string;
}

/** Takes the next bytes of a file; resolves when they are written. */
export type ByteSink = (bytes: Uint8Array) => Promise<void>;

/**
 * Writes a file so that a reader sees the old one or the whole new one, after a crash too: a temporary
 * file in the same folder, fsync, rename, fsync of the folder. The mode is 0600.
 *
 * @param produce gives the content to the sink, in order
 * @throws WeightsError `write_failed` with the system's error as cause; whatever `produce` throws. Both
 *   leave no temporary file. A killed process may leave `.<name>.<pid>-<n>.tmp`, which nothing reads.
 */
export async function writeAtomically(
  path: string,
  produce: (sink: ByteSink) => Promise<void>,
  files: FileOperations = nodeFiles,
): Promise<WrittenFile> {
  const { handle, temporary } = await openTemporary(path, files);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    try {
      await produce(async (piece) => {
        await writeAll(handle, piece, path);
        hash.update(piece);
        bytes += piece.byteLength;
      });
      await handle.sync();
    } finally {
      await handle.close();
    }
    await files.rename(temporary, path);
    await syncFolder(dirname(path), files);
  } catch (error) {
    await files.unlink(temporary).catch(() => undefined);
    throw isSystemError(error) ? writeFault(path, error) : error;
  }
  return { path, bytes, sha256: hash.digest('hex') };
}

async function openTemporary(
  path: string,
  files: FileOperations,
): Promise<{ handle: FileHandle; temporary: string }> {
  for (let attempt = 0; ; attempt += 1) {
    const name = `.${basename(path)}.${process.pid}-${attempt}.tmp`;
    const temporary = join(dirname(path), name);
    try {
      return { handle: await files.open(temporary, 'wx', 0o600), temporary };
    } catch (error) {
      // Another write of this process may hold the name; a dead process with our pid may have left it.
      const isTaken = isSystemError(error) && error.code === 'EEXIST' && attempt < 100;
      if (!isTaken) throw writeFault(path, error);
    }
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, path: string): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    const { bytesWritten } = await handle
      .write(bytes, done, bytes.byteLength - done)
      .catch((error: unknown) => {
        throw writeFault(path, error);
      });
    done += bytesWritten;
  }
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

function writeFault(path: string, error: unknown): WeightsError {
  if (error instanceof WeightsError) return error;
  const reason = isSystemError(error) ? error.code : String(error);
  return fileFault('write_failed', path, `it could not be written (${reason})`, error);
}

function isSystemError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
