import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { SafetensorsFile } from '../weights/safetensors-file.ts';
import { adapt } from './apply.ts';
import { combine } from './combine.ts';
import { eigensystem, type Eigensystem } from './eigen.ts';
import { gramSegment } from './gram.ts';
import type { Machine } from './kernel/machine.ts';
import type { MatrixDtype, MatrixSource } from './matrix.ts';

/** Bytes read at a time while hashing. */
const chunkBytes = 4 * 1024 * 1024;

/** Where a weight matrix lies on disk. */
export interface MatrixLocation {
  readonly path: string;
  /** Name in that file. */
  readonly storedAs: string;
  /** Checkpoint name, for messages. */
  readonly name: string;
  readonly rows: number;
  readonly columns: number;
  readonly dtype: MatrixDtype;
}

/** One piece of work for a worker thread: everything it needs can be sent to it. */
export type Task =
  | { readonly kind: 'digest-file'; readonly path: string }
  | { readonly kind: 'digest'; readonly matrix: MatrixLocation }
  | { readonly kind: 'gram'; readonly matrix: MatrixLocation; readonly segment: number }
  | { readonly kind: 'eigen'; readonly matrix: Float64Array; readonly n: number }
  | {
      readonly kind: 'combine';
      readonly vectors: Float64Array<ArrayBuffer>;
      readonly factors: Float64Array;
    }
  | {
      readonly kind: 'adapt';
      readonly matrix: MatrixLocation;
      readonly m: Float64Array;
      readonly c: number;
      readonly rows: { readonly first: number; readonly end: number };
      readonly dtype: MatrixDtype;
    };

/** What each kind of task gives. */
export interface TaskResults {
  /** Lower-case hex sha256. */
  readonly 'digest-file': string;
  readonly digest: string;
  readonly gram: Float64Array<ArrayBuffer>;
  readonly eigen: Eigensystem;
  readonly combine: Float64Array<ArrayBuffer>;
  readonly adapt: Uint8Array<ArrayBuffer>;
}
export type TaskKind = Task['kind'];
export type TaskOf<K extends TaskKind> = Extract<Task, { kind: K }>;

/** Runs tasks. Implemented by the pool of worker threads, and in place by tests. */
export interface TaskRunner {
  /** Tasks that it works on at the same time. */
  readonly width: number;
  /**
   * @param report called with bytes (digests), rows or columns (gram, adapt) done
   * @throws AdaptationError, WeightsError; the signal's reason when it aborts
   */
  run<K extends TaskKind>(task: TaskOf<K>, options?: TaskOptions): Promise<TaskResults[K]>;
}

export interface TaskOptions {
  readonly signal?: AbortSignal;
  readonly report?: (done: number) => void;
}

/** Runs one task on this thread. */
export async function runTask(
  machine: Machine,
  task: Task,
  report: (done: number) => void,
): Promise<TaskResults[TaskKind]> {
  switch (task.kind) {
    case 'digest-file':
      return digestFile(task.path, report);
    case 'digest':
      return withMatrix(task.matrix, (source) => digestMatrix(source, report));
    case 'gram':
      return withMatrix(task.matrix, (source) =>
        gramSegment(machine, source, task.segment, report),
      );
    case 'eigen':
      return eigensystem(machine, task.matrix, task.n);
    case 'combine':
      return combine(machine, task.vectors, task.factors);
    case 'adapt':
      return withMatrix(task.matrix, (source) =>
        adapt(machine, source, { m: task.m, c: task.c }, task.rows, task.dtype, report),
      );
  }
}

async function withMatrix<T>(
  location: MatrixLocation,
  work: (source: MatrixSource) => Promise<T>,
): Promise<T> {
  const file = await SafetensorsFile.open(location.path);
  try {
    const { storedAs, rows, columns, dtype, name } = location;
    file.entry(storedAs, { dtypes: [dtype], shape: [rows, columns] });
    const read = (first: number, count: number) => file.readRows(storedAs, first, count);
    return await work({ name, rows, columns, dtype, read });
  } finally {
    await file.close();
  }
}

async function digestMatrix(source: MatrixSource, report: (done: number) => void): Promise<string> {
  const hash = createHash('sha256');
  const rowBytes = source.columns * (source.dtype === 'BF16' ? 2 : 4);
  const step = Math.max(1, Math.floor(chunkBytes / rowBytes));
  for (let first = 0; first < source.rows; first += step) {
    const count = Math.min(step, source.rows - first);
    hash.update(await source.read(first, count));
    report((first + count) * rowBytes);
  }
  return hash.digest('hex');
}

async function digestFile(path: string, report: (done: number) => void): Promise<string> {
  const handle = await open(path, 'r');
  try {
    const hash = createHash('sha256');
    const buffer = new Uint8Array(chunkBytes);
    let done = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, chunkBytes, done);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
      done += bytesRead;
      report(done);
    }
  } finally {
    await handle.close();
  }
}
