import type { BuildEvent } from '../../contracts/build.ts';
import type { Clock } from '../../contracts/ports.ts';
import type { DecompositionCache } from '../adaptation/decomposition-cache.ts';
import type { TaskRunner } from '../adaptation/tasks.ts';
import type { FileOperations } from '../weights/atomic-file.ts';
import { BuildError } from './build-error.ts';
import type { DigestCache } from './digest-cache.ts';

/** What a build works with. */
export interface BuildTools {
  readonly runner: TaskRunner;
  readonly digests: DigestCache;
  readonly decompositions: DecompositionCache | null;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly emit: (event: BuildEvent) => void;
  /** Aborts the build; what is finished is kept. */
  readonly signal: AbortSignal;
  /** Replaced by tests that fail or kill each operation. */
  readonly files?: FileOperations;
}

/** Throws BuildError `cancelled` when the build has been stopped. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) {
    throw new BuildError('cancelled', 'The build was stopped. Start it again to go on.', {
      retryable: true,
    });
  }
}

/**
 * Runs `work` for each item, `limit` at a time, in order of starting. After the first failure nothing more
 * is started, what runs is aborted and waited for, and the failure is thrown.
 */
export async function eachOf<T>(
  items: readonly T[],
  limit: number,
  outer: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([outer, failure.signal]);
  const waiting = [...items];
  const errors: unknown[] = [];
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if (signal.aborted) return;
      try {
        await work(item, signal);
      } catch (error) {
        errors.push(error);
        failure.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, lane));
  if (errors.length > 0) throw errors[0];
}
