import type { EvalCase } from '../../contracts/evals.ts';
import { EvalError } from './eval-error.ts';
import { scanSuite } from './suite.ts';

/** Which cases of a suite run. Empty members select nothing away. */
export interface CaseSelection {
  readonly ids: readonly string[];
  readonly tags: readonly string[];
  /** Matches anywhere in the id, without regard to case. */
  readonly pattern: string | null;
}

export const everyCase: CaseSelection = { ids: [], tags: [], pattern: null };

/** True when a case runs: its id is named (where ids are), it has a named tag, and its id matches. */
export function isSelected(evalCase: EvalCase, selection: CaseSelection): boolean {
  const { ids, tags, pattern } = selection;
  return (
    (ids.length === 0 || ids.includes(evalCase.id)) &&
    (tags.length === 0 || tags.some((tag) => evalCase.tags.includes(tag))) &&
    (pattern === null || evalCase.id.toLowerCase().includes(pattern.toLowerCase()))
  );
}

/**
 * Good cases of a suite that are selected, in order; problems are passed over (`inspectSuite` tells them).
 *
 * @throws EvalError `unknown_case` at the end, when a named id was not in the suite
 */
export async function* selectedCases(
  suitePath: string,
  selection: CaseSelection,
): AsyncGenerator<EvalCase> {
  const missing = new Set(selection.ids);
  for await (const item of scanSuite(suitePath)) {
    if (item.kind !== 'case') continue;
    missing.delete(item.case.id);
    if (isSelected(item.case, selection)) yield item.case;
  }
  if (missing.size > 0) {
    throw new EvalError('unknown_case', `The suite has no case ${[...missing].join(', ')}.`);
  }
}

/**
 * Number of selected cases, in one pass.
 *
 * @throws EvalError `unknown_case`; `suite_empty` when nothing is selected
 */
export async function countSelected(suitePath: string, selection: CaseSelection): Promise<number> {
  let count = 0;
  for await (const _case of selectedCases(suitePath, selection)) count += 1;
  if (count === 0) throw new EvalError('suite_empty', 'No case of the suite is selected.');
  return count;
}
