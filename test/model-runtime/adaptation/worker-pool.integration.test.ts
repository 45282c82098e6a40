import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decompose } from '../../../model-runtime/adaptation/decomposition.ts';
import type { MatrixLocation } from '../../../model-runtime/adaptation/tasks.ts';
import { workerCount, WorkerPool } from '../../../model-runtime/adaptation/worker-pool.ts';
import { bytesOf, writeSafetensors } from '../../../model-runtime/weights/safetensors-writer.ts';
import { eigenvaluesByMlMatrix, normal } from './spectra.ts';

const rows = 20_001;
const columns = 12;
const state = { folder: '', matrix: {} as MatrixLocation, gram: new Float64Array() };

/** A matrix of three segments, and its Gram matrix by a plain loop. */
beforeAll(async () => {
  state.folder = await mkdtemp(join(tmpdir(), 'trinity-pool-'));
  const path = join(state.folder, 'w.safetensors');
  const values = Float32Array.from({ length: rows * columns }, normal(2));
  const entry = { name: 'w', dtype: 'F32', shape: [rows, columns] } as const;
  await writeSafetensors(path, [{ ...entry, data: bytesOf(values) }]);
  state.matrix = { path, storedAs: 'w', name: 'w', rows, columns, dtype: 'F32' };
  state.gram = new Float64Array(columns * columns);
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < columns; i++) {
      for (let j = 0; j < columns; j++) {
        state.gram[i * columns + j]! += values[row * columns + i]! * values[row * columns + j]!;
      }
    }
  }
});
afterAll(() => rm(state.folder, { recursive: true }));

async function withPool<T>(width: number, work: (pool: WorkerPool) => Promise<T>): Promise<T> {
  const pool = new WorkerPool(width);
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

describe('a decomposition over segments', () => {
  it('is the same to the bit with one, two and five workers, and right', async () => {
    const shares: number[] = [];
    const report = (stage: string, share: number) => {
      if (stage === 'gram') shares.push(share);
    };
    const one = await withPool(1, (pool) => decompose(pool, state.matrix, { report }));
    for (const width of [2, 5]) {
      expect(await withPool(width, (pool) => decompose(pool, state.matrix))).toEqual(one);
    }
    const expected = eigenvaluesByMlMatrix(state.gram, columns);
    one.values.forEach((value, i) => expect(value / expected[i]!).toBeCloseTo(1, 11));
    expect(shares.at(-1)).toBe(1);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  });
});

describe('the worker pool', () => {
  const matrixOf = (location: Partial<MatrixLocation>) => ({ ...state.matrix, ...location });

  it('hands on the error of the room that refused', async () => {
    await withPool(1, async (pool) => {
      const missing = matrixOf({ storedAs: 'absent' });
      await expect(pool.run({ kind: 'digest', matrix: missing })).rejects.toThrowError(
        expect.objectContaining({ name: 'WeightsError', code: 'missing_tensor' }),
      );
      const values = Float64Array.of(1, Number.NaN, Number.NaN, 1);
      await expect(pool.run({ kind: 'eigen', matrix: values, n: 2 })).rejects.toThrowError(
        expect.objectContaining({ name: 'AdaptationError', code: 'non_finite' }),
      );
    });
  });

  it('goes on after an aborted task, waiting or running, with the signal’s reason', async () => {
    await withPool(1, async (pool) => {
      const stop = new AbortController();
      const started = Promise.withResolvers<void>();
      const task = { kind: 'gram', matrix: state.matrix, segment: 0 } as const;
      const running = pool.run(task, { signal: stop.signal, report: () => started.resolve() });
      const waiting = pool.run(task, { signal: stop.signal });
      const settled = Promise.allSettled([running, waiting]);
      await started.promise;
      stop.abort(new Error('enough'));
      for (const result of await settled) {
        expect(result).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
      }
      await expect(pool.run(task, { signal: stop.signal })).rejects.toThrowError('enough');
      expect(await pool.run(task)).toHaveLength(columns * columns);
    });
  });

  it('tells a task whose thread dies that it may be tried again', async () => {
    const entry = new URL('data:text/javascript,setTimeout(() => process.exit(9), 20)');
    const pool = new WorkerPool(1, entry);
    await expect(pool.run({ kind: 'digest-file', path: 'x' })).rejects.toThrowError(
      expect.objectContaining({ code: 'worker_failed', retryable: true }),
    );
    await pool.close();
  });

  it('can be closed twice, failing what is open, and takes nothing after', async () => {
    const pool = new WorkerPool(1);
    const open = pool.run({ kind: 'gram', matrix: state.matrix, segment: 0 });
    const failed = expect(open).rejects.toThrowError(
      expect.objectContaining({ code: 'worker_failed' }),
    );
    await pool.close();
    await pool.close();
    await failed;
    await expect(pool.run({ kind: 'digest', matrix: state.matrix })).rejects.toThrowError();
  });

  it('has as many workers as asked for, else four at most', () => {
    expect(workerCount(7)).toBe(7);
    expect(workerCount(null)).toBeGreaterThanOrEqual(1);
    expect(workerCount(null)).toBeLessThanOrEqual(4);
  });
});
