import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { WeightsError, type WeightsErrorCode } from '../weights/weights-error.ts';
import { AdaptationError, type AdaptationErrorCode } from './adaptation-error.ts';
import type { TaskKind, TaskOf, TaskOptions, TaskResults, TaskRunner } from './tasks.ts';
import { workerMark, type WorkerMessage } from './worker.ts';

interface Job {
  readonly id: number;
  readonly task: TaskOf<TaskKind>;
  readonly options: TaskOptions;
  readonly resolve: (result: TaskResults[TaskKind]) => void;
  readonly reject: (error: unknown) => void;
}

/** Worker threads for a request: as many as asked for, else one per core, four at most. */
export function workerCount(asked: number | null): number {
  return asked ?? Math.min(4, availableParallelism());
}

/**
 * Worker threads that run tasks in the order given. Their number changes the time, never the result. An
 * aborted task rejects at once; the thread that works on it is ended and replaced. Close it when done; twice
 * is fine.
 */
export class WorkerPool implements TaskRunner {
  readonly width: number;
  readonly #entry: URL;
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Job>();
  readonly #queue: Job[] = [];
  #nextId = 0;
  #isClosed = false;

  /** @param entry the program's file that answers tasks: the worker's own, or a bundle that contains it */
  constructor(width: number, entry: URL = workerEntry()) {
    this.width = width;
    this.#entry = entry;
  }

  run<K extends TaskKind>(task: TaskOf<K>, options: TaskOptions = {}): Promise<TaskResults[K]> {
    const { signal } = options;
    return new Promise<TaskResults[TaskKind]>((resolve, reject) => {
      if (this.#isClosed) {
        reject(new AdaptationError('worker_failed', 'The workers have been stopped.'));
        return;
      }
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => this.#abandon(job, signal?.reason);
      const settled = () => signal?.removeEventListener('abort', onAbort);
      const job: Job = {
        id: this.#nextId++,
        task,
        options,
        resolve: (result) => {
          settled();
          resolve(result);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.push(job);
      this.#dispatch();
    }) as Promise<TaskResults[K]>;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const stopped = new AdaptationError('worker_failed', 'The workers have been stopped.');
    const workers = [...this.#idle, ...this.#busy.keys()];
    for (const job of [...this.#queue, ...this.#busy.values()]) job.reject(stopped);
    this.#queue.length = 0;
    this.#idle.length = 0;
    this.#busy.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  #dispatch(): void {
    while (this.#queue.length > 0 && this.#busy.size < this.width) {
      const worker = this.#idle.pop() ?? this.#start();
      const job = this.#queue.shift()!;
      this.#busy.set(worker, job);
      worker.postMessage({ id: job.id, task: job.task });
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { workerData: workerMark });
    worker.on('message', (message: WorkerMessage) => this.#receive(worker, message));
    worker.on('error', (cause) => this.#lose(worker, cause));
    worker.on('exit', (code) =>
      this.#lose(worker, new Error(`the thread ended with code ${code}`)),
    );
    return worker;
  }

  #receive(worker: Worker, message: WorkerMessage): void {
    const job = this.#busy.get(worker);
    if (job === undefined || job.id !== message.id) return;
    if (message.type === 'progress') {
      job.options.report?.(message.done);
      return;
    }
    this.#busy.delete(worker);
    this.#idle.push(worker);
    if (message.type === 'result') job.resolve(message.result);
    else job.reject(errorOf(message));
    this.#dispatch();
  }

  #lose(worker: Worker, cause: Error): void {
    const job = this.#busy.get(worker);
    this.#busy.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    const text = `A worker thread failed: ${cause.message}. Free some memory and build again.`;
    job?.reject(new AdaptationError('worker_failed', text, { retryable: true, cause }));
    if (!this.#isClosed) this.#dispatch();
  }

  #abandon(job: Job, reason: unknown): void {
    const waiting = this.#queue.indexOf(job);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    for (const [worker, current] of this.#busy) {
      if (current !== job) continue;
      this.#busy.delete(worker);
      void worker.terminate();
    }
    job.reject(reason);
    if (!this.#isClosed) this.#dispatch();
  }
}

/** The file beside this one that answers tasks, in source (.ts) or built (.js). */
function workerEntry(): URL {
  const file = `worker${extname(fileURLToPath(import.meta.url))}`;
  return new URL(file, import.meta.url);
}

/** The error of another thread as the class it had there. */
function errorOf({ failure, room }: Extract<WorkerMessage, { type: 'failure' }>): Error {
  const options = { retryable: failure.retryable };
  if (room === 'WeightsError') {
    return new WeightsError(failure.code as WeightsErrorCode, failure.message, options);
  }
  if (room === 'AdaptationError') {
    return new AdaptationError(failure.code as AdaptationErrorCode, failure.message, options);
  }
  return new AdaptationError('worker_failed', failure.message, options);
}
