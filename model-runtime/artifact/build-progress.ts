import type { BuildEvent, BuildStage } from '../../contracts/build.ts';
import type { Clock } from '../../contracts/ports.ts';
import { rankOf } from '../adaptation/matrix.ts';

/** Least time between two progress events. */
const intervalMs = 100;

/** A piece of the work, by tensor and stage. */
export interface WorkItem {
  readonly tensor: string | null;
  readonly stage: BuildStage;
  /** Estimated milliseconds of one core of a machine of 2024; only the proportions matter. */
  readonly cost: number;
}

/** Work of a matrix's stages. */
export function workOf(
  name: string,
  matrix: { readonly rows: number; readonly columns: number },
  stages: readonly BuildStage[],
): WorkItem[] {
  const n = rankOf(matrix);
  const elements = matrix.rows * matrix.columns;
  const costs: Record<BuildStage, number> = {
    digest: elements / 1.1e6,
    gram: (elements * n) / 19e6,
    eigen: n ** 3 / 1.1e6,
    combine: n ** 3 / 19e6,
    apply: (elements * n) / 10e6,
    write: elements / 1e6,
  };
  return stages.map((stage) => ({ tensor: name, stage, cost: costs[stage] }));
}

/**
 * How far a build is, from the arithmetic that is left. Emits at most ten events a second; the time to go
 * is the time so far scaled by the work left to the work done.
 */
export class BuildProgress {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #emit: (event: BuildEvent) => void;
  readonly #items = new Map<string, { readonly cost: number; done: number }>();
  readonly #startedAt: number;
  #emittedAt = -Infinity;

  constructor(clock: Pick<Clock, 'monotonic'>, emit: (event: BuildEvent) => void) {
    this.#clock = clock;
    this.#emit = emit;
    this.#startedAt = clock.monotonic();
  }

  /** Adds work that is to be done. */
  expect(items: readonly WorkItem[]): void {
    for (const { tensor, stage, cost } of items) {
      this.#items.set(keyOf(tensor, stage), { cost, done: 0 });
    }
  }

  /** Takes work out that turns out not to be needed. */
  drop(tensor: string, stages: readonly BuildStage[]): void {
    for (const stage of stages) this.#items.delete(keyOf(tensor, stage));
  }

  /** Says how much of a stage is done, 0 to 1. Its beginning and its end are always told, what lies between now and then. */
  report(tensor: string | null, stage: BuildStage, stageFraction: number): void {
    const item = this.#items.get(keyOf(tensor, stage));
    if (item !== undefined) item.done = Math.max(item.done, stageFraction);
    const now = this.#clock.monotonic();
    if (stageFraction > 0 && stageFraction < 1 && now - this.#emittedAt < intervalMs) return;
    this.#emittedAt = now;
    const fraction = this.#fraction();
    const elapsed = now - this.#startedAt;
    const etaMs = fraction > 0.02 ? (elapsed * (1 - fraction)) / fraction : null;
    this.#emit({ type: 'progress', tensor, stage, stageFraction, fraction, etaMs });
  }

  #fraction(): number {
    let total = 0;
    let done = 0;
    for (const item of this.#items.values()) {
      total += item.cost;
      done += item.cost * item.done;
    }
    return total === 0 ? 1 : done / total;
  }
}

function keyOf(tensor: string | null, stage: BuildStage): string {
  return `${stage} ${tensor ?? ''}`;
}
