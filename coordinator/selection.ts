import { argmax, softmax } from '../contracts/logits.ts';
import { selectionModes, type Selection } from '../contracts/route.ts';
import { CoordinatorError } from './error.ts';
import { seededDraw } from './seeded-draw.ts';

/** An index of the logits, and the distribution it was taken from (null for argmax). */
export interface Choice {
  readonly index: number;
  readonly probabilities: number[] | null;
}

/**
 * Chooses one index of a split of the logits.
 *
 * argmax and softmax take the largest, ties to the lowest index; softmax also reports softmax(z / T).
 * sample draws from softmax(z / T) with `seededDraw(seed, label)`: equal logits, seed and label give the
 * equal choice.
 *
 * @param logits    one split, not empty
 * @param selection checked by `checkSelection`; mode `sample` needs a seed
 * @param label     names the draw: `turn 2 agent`
 */
export function choose(logits: readonly number[], selection: Selection, label: string): Choice {
  if (selection.mode === 'argmax') return { index: argmax(logits), probabilities: null };
  const probabilities = softmax(logits, selection.temperature);
  if (selection.mode === 'softmax') return { index: argmax(logits), probabilities };
  const draw = seededDraw(selection.seed ?? 0, label);
  return { index: indexAt(probabilities, draw), probabilities };
}

/**
 * Chooses like `choose` among the allowed indices only; the logits of the others count as minus
 * infinity.
 *
 * @param allowed at least one true
 */
export function chooseAmong(
  logits: readonly number[],
  allowed: readonly boolean[],
  selection: Selection,
  label: string,
): number {
  const left = logits.map((_, index) => index).filter((index) => allowed[index] === true);
  const choice = choose(
    left.map((index) => logits[index] as number),
    selection,
    label,
  );
  return left[choice.index] as number;
}

/**
 * The selection as it will be used and recorded: a sampling one always has its seed.
 *
 * @param freshSeed a whole number for a sampling selection without a seed
 * @throws CoordinatorError `invalid_selection` for an unknown mode, a temperature that is not a finite
 *   number above 0, a seed that is no whole number
 */
export function checkSelection(selection: Selection, freshSeed: () => number): Selection {
  const { mode, temperature, seed } = selection;
  if (!selectionModes.includes(mode)) {
    throw new CoordinatorError('invalid_selection', `There is no selection mode "${mode}".`);
  }
  if (!Number.isFinite(temperature) || temperature <= 0) {
    throw new CoordinatorError(
      'invalid_selection',
      `A temperature is a number above 0, and ${temperature} is not.`,
    );
  }
  if (seed !== null && !Number.isSafeInteger(seed)) {
    throw new CoordinatorError('invalid_selection', `A seed is a whole number; ${seed} is not.`);
  }
  return mode === 'sample' && seed === null ? { ...selection, seed: freshSeed() } : selection;
}

/** First index whose cumulative probability exceeds the draw; the last possible one if rounding leaves none. */
function indexAt(probabilities: readonly number[], draw: number): number {
  let cumulative = 0;
  for (const [index, probability] of probabilities.entries()) {
    cumulative += probability;
    if (draw < cumulative) return index;
  }
  return probabilities.findLastIndex((probability) => probability > 0);
}
