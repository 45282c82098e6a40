/**
 * A build that kills its own process, without any chance to clean up, at a chosen point. Started by tests as
 * a process: `node killed-build.ts '{"request": ..., "at": ...}'`. Prints how many file operations of each
 * kind it made when it gets to its end; else, right before it dies, the stage that its tensor was in.
 */
import { writeSync } from 'node:fs';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import type { BuildEvent, BuildStage, ExportRequest } from '../../../contracts/build.ts';
import { runBuildRequest } from '../../../model-runtime/artifact/run-request.ts';
import type { FileOperations } from '../../../model-runtime/weights/atomic-file.ts';

export type FileOperation = 'open' | 'write' | 'sync' | 'rename';

/** Where to die: inside the n-th file operation of a kind, or when a stage of the arithmetic is so far. */
export type KillPoint =
  | {
      readonly operation: FileOperation;
      readonly index: number;
      readonly when: 'before' | 'half' | 'after';
    }
  | {
      readonly stage: BuildStage;
      readonly tensor: string;
      readonly fraction: number;
      readonly afterMs: number;
    }
  | null;

export interface KilledBuild {
  readonly request: ExportRequest;
  readonly at: KillPoint;
}

export type OperationCounts = Record<FileOperation, number>;

function die(stage: BuildStage | null): never {
  writeSync(1, JSON.stringify({ stage }));
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way: nothing may happen until it arrives.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  throw new Error('unreachable');
}

function countingFiles(at: KillPoint, counts: OperationCounts): FileOperations {
  const run = async <T>(
    operation: FileOperation,
    act: () => Promise<T>,
    half: () => Promise<unknown> = act,
  ): Promise<T> => {
    const isHere = at !== null && 'operation' in at && at.operation === operation;
    const index = counts[operation]++;
    if (!isHere || at.index !== index) return act();
    if (at.when === 'half') await half();
    if (at.when === 'after') await act();
    return die(null);
  };
  const watched = (handle: FileHandle): FileHandle =>
    new Proxy(handle, {
      get: (target, key) => {
        if (key === 'write') {
          return (bytes: Uint8Array, offset: number, length: number) =>
            run(
              'write',
              () => target.write(bytes, offset, length),
              () => target.write(bytes, offset, Math.floor(length / 2)),
            );
        }
        if (key === 'sync') return () => run('sync', () => target.sync());
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  return {
    open: (path, flags, mode) => run('open', async () => watched(await open(path, flags, mode))),
    rename: (from, to) => run('rename', () => rename(from, to)),
    unlink,
  };
}

/** Dies as long after a stage as is asked for: by then the tensor may be in a later one or between two. */
function killAtStage(at: KillPoint): (event: BuildEvent) => void {
  let stage: BuildStage | null = null;
  return (event) => {
    if (at === null || !('stage' in at) || event.type !== 'progress') return;
    if (event.tensor !== at.tensor) return;
    stage = event.stageFraction < 1 ? event.stage : null;
    const isHere = event.stage === at.stage && event.stageFraction >= at.fraction;
    if (isHere) setTimeout(() => die(stage), at.afterMs);
  };
}

if (isMainThread && process.argv[2] !== undefined) {
  const { request, at } = JSON.parse(process.argv[2]) as KilledBuild;
  const counts: OperationCounts = { open: 0, write: 0, sync: 0, rename: 0 };
  const ticks = { now: 0 };
  await runBuildRequest(request, {
    // Time runs fast, so that no progress event is held back.
    clock: { now: () => 0, monotonic: () => (ticks.now += 1000) },
    signal: new AbortController().signal,
    emit: killAtStage(at),
    files: countingFiles(at, counts),
  });
  process.stdout.write(JSON.stringify(counts));
}
