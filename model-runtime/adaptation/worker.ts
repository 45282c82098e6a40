import { isMainThread, parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { toFailure, type Failure } from '../../contracts/failure.ts';
import { machineOfThisEngine } from './kernel/engine.ts';
import { runTask, type Task, type TaskKind, type TaskResults } from './tasks.ts';

/** Marks a thread as one of ours, so that a bundled program can start it from its own file. */
export const workerMark = 'trinity-adaptation-worker';

export interface TaskMessage {
  readonly id: number;
  readonly task: Task;
}
export type WorkerMessage =
  | { readonly id: number; readonly type: 'progress'; readonly done: number }
  | { readonly id: number; readonly type: 'result'; readonly result: TaskResults[TaskKind] }
  | {
      readonly id: number;
      readonly type: 'failure';
      readonly failure: Failure;
      readonly room: string;
    };

/** True in a thread that the pool has started. */
export function isAdaptationWorker(): boolean {
  return !isMainThread && workerData === workerMark;
}

/** Answers tasks, one after the other, until the thread is ended. */
export function serveTasks(port: MessagePort): void {
  const machine = machineOfThisEngine();
  const post = (message: WorkerMessage, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  port.on('message', ({ id, task }: TaskMessage) => {
    runTask(machine, task, (done) => post({ id, type: 'progress', done })).then(
      (result) => post({ id, type: 'result', result }, buffersOf(result)),
      (error: unknown) => {
        const room = error instanceof Error ? error.name : 'Error';
        post({ id, type: 'failure', failure: toFailure(error), room });
      },
    );
  });
}

function buffersOf(result: TaskResults[TaskKind]): ArrayBuffer[] {
  if (typeof result === 'string') return [];
  if (ArrayBuffer.isView(result)) return [result.buffer];
  return [result.values.buffer, result.vectors.buffer];
}

if (isAdaptationWorker() && parentPort) serveTasks(parentPort);
