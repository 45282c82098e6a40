import { open, stat, type FileHandle } from 'node:fs/promises';
import { fileFault } from './weights-error.ts';

/** Reads go in pieces of this size: the kernel takes no more than 2 GiB at once. */
const pieceBytes = 64 * 1024 * 1024;

export interface OpenFile {
  readonly handle: FileHandle;
  readonly bytes: number;
}

/**
 * Opens a regular file for reading. Links are followed; a folder, a pipe or a device is refused before
 * it is opened, because opening a pipe would wait for ever.
 *
 * @throws WeightsError `unreadable`, `not_a_file`
 */
export async function openPlainFile(path: string): Promise<OpenFile> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw fileFault('not_a_file', path, 'it is not a regular file');
    return { handle: await open(path, 'r'), bytes: found.size };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.name !== 'WeightsError') {
      throw fileFault('unreadable', path, `it cannot be opened (${String(error.code)})`, error);
    }
    throw error;
  }
}

/**
 * Fills `target` from `position` bytes into the file.
 *
 * @throws WeightsError `truncated` when the file ends first, `unreadable` when the system fails
 */
export async function readExactly(
  file: OpenFile,
  path: string,
  target: Uint8Array,
  position: number,
): Promise<void> {
  let done = 0;
  while (done < target.byteLength) {
    const wanted = Math.min(pieceBytes, target.byteLength - done);
    const got = await file.handle
      .read(target, done, wanted, position + done)
      .catch((error: unknown) => {
        throw fileFault('unreadable', path, `reading at byte ${position + done} failed`, error);
      });
    if (got.bytesRead === 0) {
      throw fileFault('truncated', path, `it ends at byte ${position + done}`);
    }
    done += got.bytesRead;
  }
}
