import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunEvent } from '../../contracts/events.ts';
import type { Failure } from '../../contracts/failure.ts';
import { sha256 } from '../../coordinator/hash.ts';
import { createFolder } from './create-folder.ts';
import { lineOfEvent, type LineForm } from './line-of-event.ts';

/** The file operations of a writer; passed in so that tests can fail each of them. */
export interface TraceFiles {
  readonly mkdir: (path: string) => void;
  /** Creates the file for appending; refuses one that is there. */
  readonly create: (path: string) => number;
  /** Writes a part of the bytes and says how many. */
  readonly write: (file: number, bytes: Uint8Array, offset: number) => number;
  readonly truncate: (file: number, bytes: number) => void;
  readonly sync: (file: number) => void;
  readonly close: (file: number) => void;
}

export const nodeTraceFiles: TraceFiles = {
  mkdir: createFolder,
  create: (path) => openSync(path, 'ax', 0o600),
  write: (file, bytes, offset) => writeSync(file, bytes, offset),
  truncate: ftruncateSync,
  sync: fdatasyncSync,
  close: closeSync,
};

export interface TraceWriterOptions extends LineForm {
  /** The file, which must not be there; its folder is made when it is missing. */
  readonly path: string;
  /** Told once, when the trace cannot be written; the run goes on. */
  readonly onProblem: (problem: Failure) => void;
  readonly files?: TraceFiles;
}

/**
 * Writes the trace of one run to a file of its own, mode 0600.
 *
 * Each event's line is handed to the system before `write` returns, so that the death of this program
 * loses none, and is on disk when `close` returns. Nothing here throws: the first thing that fails is
 * reported once, the file keeps its whole lines, and further events are let go.
 */
export class TraceWriter {
  readonly path: string;
  readonly #options: TraceWriterOptions;
  readonly #files: TraceFiles;
  #file: number | null = null;
  #state: 'unopened' | 'open' | 'failed' | 'closed' = 'unopened';
  #bytes = 0;
  #prev: string | null = null;

  constructor(options: TraceWriterOptions) {
    this.#options = options;
    this.#files = options.files ?? nodeTraceFiles;
    this.path = options.path;
  }

  write(event: RunEvent): void {
    try {
      if (this.#state === 'unopened') this.#open();
      if (this.#state !== 'open') return;
      const body = lineOfEvent(event, this.#options);
      const line = JSON.stringify({ ...body, prev: this.#prev });
      this.#append(Buffer.from(`${line}\n`, 'utf8'));
      this.#prev = sha256(line);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    if (this.#state !== 'failed') this.#state = 'closed';
    if (file === null) return Promise.resolve();
    try {
      this.#files.sync(file);
    } catch (error) {
      this.#fail(error);
    }
    this.#closeQuietly(file);
    return Promise.resolve();
  }

  #open(): void {
    this.#files.mkdir(dirname(this.path));
    this.#file = this.#files.create(this.path);
    this.#state = 'open';
  }

  #append(bytes: Uint8Array): void {
    if (this.#file === null) return;
    let written = 0;
    while (written < bytes.length) {
      written += this.#files.write(this.#file, bytes, written);
    }
    this.#bytes += bytes.length;
  }

  #fail(error: unknown): void {
    if (this.#state === 'failed') return;
    this.#state = 'failed';
    if (this.#file !== null) this.#keepWholeLines(this.#file);
    this.#file = null;
    this.#options.onProblem(this.#problemOf(error));
  }

  /** A line that was written in part would look like damage to who reads the file later. */
  #keepWholeLines(file: number): void {
    try {
      this.#files.truncate(file, this.#bytes);
    } catch {
      // The disk that refused the line may refuse this too; readers pass over a torn last line.
    }
    this.#closeQuietly(file);
  }

  #closeQuietly(file: number): void {
    try {
      this.#files.close(file);
    } catch {
      // What close could report, sync has reported; the descriptor is gone either way.
    }
  }

  #problemOf(error: unknown): Failure {
    return {
      code: 'unwritable',
      retryable: false,
      message: `The trace ${this.path} cannot be written, and the run goes on without it. ${this.#reasonOf(error)}`,
    };
  }

  #reasonOf(error: unknown): string {
    const { code, syscall } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
    if (code !== 'EEXIST') {
      return `Check the folder and the free space${code === undefined ? '' : ` (${code})`}.`;
    }
    return syscall === 'mkdir'
      ? `${dirname(this.path)} is a file, where a folder belongs.`
      : 'There is a file of that name already: choose another.';
  }
}
