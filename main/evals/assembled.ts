import type { EvalHeader, EvalSummary } from '../../contracts/evals.ts';
import type { EvalAnalysis } from './analysis.ts';
import type { Floors } from './judgement.ts';
import type { CaseLine } from './results-file.ts';
import type { SuiteReport } from './suite.ts';

/** The one object of `--json`: results as they stand in the results file, and what they were judged by. */
export interface AssembledResult {
  readonly format: 'trinity-eval';
  readonly header: EvalHeader;
  readonly floors: Floors;
  readonly diagnostics: SuiteReport['diagnostics'];
  readonly cases: readonly CaseLine[];
  readonly summary: EvalSummary;
  readonly analysis: EvalAnalysis;
}

/** True when every asserted case passed and every case could be routed. */
export function isPass(summary: EvalSummary): boolean {
  return summary.failed === 0 && summary.errors === 0;
}
