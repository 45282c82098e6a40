import type { Eigensystem } from './eigen.ts';
import { segmentCount } from './gram.ts';
import { rankOf } from './matrix.ts';
import type { MatrixLocation, TaskRunner } from './tasks.ts';

/** What happens while a matrix is decomposed, for progress. */
export interface DecompositionProgress {
  readonly signal?: AbortSignal;
  /** Share of a stage that is done, 0 to 1. */
  readonly report?: (stage: 'gram' | 'eigen', fraction: number) => void;
}

/**
 * Singular vectors and values of a weight matrix, as the eigensystem of its smaller Gram matrix.
 *
 * Segments of the Gram matrix are computed side by side and added in their order, a few at a time, so that
 * neither the result nor the memory depends on how many workers there are.
 */
export async function decompose(
  runner: TaskRunner,
  matrix: MatrixLocation,
  { signal, report = () => undefined }: DecompositionProgress = {},
): Promise<Eigensystem> {
  const segments = segmentCount(matrix);
  const n = rankOf(matrix);
  const size = Math.max(matrix.rows, matrix.columns);
  const done = new Float64Array(segments);
  const compute = (segment: number) =>
    runner.run(
      { kind: 'gram', matrix, segment },
      {
        ...(signal && { signal }),
        report: (rows) => {
          done[segment] = rows;
          report('gram', Math.min(1, done.reduce((sum, value) => sum + value, 0) / size));
        },
      },
    );
  const sum = await addInOrder(segments, runner.width + 1, compute);
  report('gram', 1);
  report('eigen', 0);
  const task = { kind: 'eigen', matrix: sum, n } as const;
  const system = await runner.run(task, signal && { signal });
  report('eigen', 1);
  return system;
}

/** Sum of parts that are computed `ahead` at a time and added first to last. */
async function addInOrder(
  count: number,
  ahead: number,
  compute: (index: number) => Promise<Float64Array<ArrayBuffer>>,
): Promise<Float64Array<ArrayBuffer>> {
  const pending: Promise<Float64Array<ArrayBuffer>>[] = [];
  let next = 0;
  const fill = () => {
    while (next < count && pending.length < ahead) {
      const part = compute(next++);
      // Awaited below in order; a failure of a later part must not count as unhandled meanwhile.
      part.catch(() => undefined);
      pending.push(part);
    }
  };
  fill();
  let sum: Float64Array<ArrayBuffer> | undefined;
  while (pending.length > 0) {
    const part = await pending.shift()!;
    fill();
    if (sum === undefined) sum = part;
    else for (let i = 0; i < sum.length; i++) sum[i] = sum[i]! + part[i]!;
  }
  return sum!;
}
