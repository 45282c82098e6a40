import type { ProjectionName } from '../../contracts/profiles.ts';

/** What one measurement of a profile says about it. */
export interface Measured {
  readonly rmsDrift: number;
  /** Why the profile is refused; empty when it is not. */
  readonly refusals: readonly string[];
}

/** Projections that have to stay in f32, and the measurement that shows that they suffice. */
export interface ExactProjections<M extends Measured> {
  readonly exact: readonly ProjectionName[];
  readonly measured: M;
}

/**
 * Finds projections of a refused profile that, kept in f32 in every layer, have it accepted: each is measured
 * alone, then they are joined in the order of the drift that is left when only that one is exact, until the
 * profile is accepted.
 *
 * @param quantised projections that the profile does not read in f32, in the order that decides among equals
 * @param measure   measures the profile with these in f32; called at most 2n - 1 times for n projections
 * @returns         null where the profile is refused with all of them in f32 too
 */
export async function findExactProjections<M extends Measured>(
  quantised: readonly ProjectionName[],
  measure: (exact: readonly ProjectionName[]) => Promise<M>,
): Promise<ExactProjections<M> | null> {
  const alone: ExactProjections<M>[] = [];
  for (const name of quantised) alone.push({ exact: [name], measured: await measure([name]) });
  alone.sort((a, b) => a.measured.rmsDrift - b.measured.rmsDrift);
  const sufficient = alone.find(({ measured }) => isAccepted(measured));
  if (sufficient !== undefined) return sufficient;
  const [first, ...others] = alone.flatMap(({ exact }) => exact);
  const exact = first === undefined ? [] : [first];
  for (const name of others) {
    exact.push(name);
    const measured = await measure(exact);
    if (isAccepted(measured)) return { exact, measured };
  }
  return null;
}

function isAccepted({ refusals }: Measured): boolean {
  return refusals.length === 0;
}
