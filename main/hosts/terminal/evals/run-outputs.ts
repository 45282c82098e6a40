import { resolve } from 'node:path';
import type { EvalHeader, EvalSummary } from '../../../../contracts/evals.ts';
import { AnalysisFold, type EvalAnalysis } from '../../../evals/analysis.ts';
import type { AssembledResult } from '../../../evals/assembled.ts';
import type { Floors } from '../../../evals/judgement.ts';
import { htmlReport } from '../../../evals/reports/html.ts';
import { junitReport } from '../../../evals/reports/junit.ts';
import type { CaseLine } from '../../../evals/results-file.ts';
import { snapshotCase, snapshotText } from '../../../evals/snapshot.ts';
import type { SuiteReport } from '../../../evals/suite.ts';
import { CommandFailed, type TerminalContext } from '../context.ts';
import type { EvalCommandOptions } from './eval-options.ts';
import { requireWritable, writeReport } from './report-file.ts';

/** What an evaluation gave. `lines` is empty where no output needs them. */
export interface RunOutcome {
  readonly header: EvalHeader;
  readonly suite: SuiteReport;
  readonly lines: readonly CaseLine[];
  readonly summary: EvalSummary;
  readonly isCancelled: boolean;
}

/** True when an output holds the cases, which a run of any size otherwise does not keep in memory. */
export function keepsLines(options: EvalCommandOptions): boolean {
  const { json, junit, html, snapshotOut, recordBaseline } = options;
  return (
    json === true ||
    recordBaseline === true ||
    [junit, html, snapshotOut].some((path) => path !== undefined)
  );
}

/** Refuses outputs that cannot be written or would replace an input, before anything is routed. */
export async function requireOutputs(
  options: EvalCommandOptions,
  inputs: readonly string[],
  cwd: string,
): Promise<void> {
  const taken = [...inputs];
  for (const output of [options.out, options.junit, options.html, options.snapshotOut]) {
    if (output === undefined) continue;
    const path = resolve(cwd, output);
    await requireWritable(path, taken);
    taken.push(path);
  }
}

/**
 * Prints and writes what the options ask for. A cancelled run gives no snapshot and no baseline: they would
 * say nothing of the cases that are missing.
 */
export async function writeOutputs(
  context: TerminalContext,
  options: EvalCommandOptions,
  run: {
    readonly floors: Floors;
    readonly agentLabels: readonly string[];
    readonly baselinePath: string;
  },
  outcome: RunOutcome,
): Promise<void> {
  const { header, suite, lines, summary, isCancelled } = outcome;
  const { floors, agentLabels } = run;
  if (options.json === true) {
    const result: AssembledResult = {
      format: 'trinity-eval',
      header,
      floors,
      diagnostics: suite.diagnostics,
      cases: lines,
      summary,
      analysis: analysisOf(lines),
    };
    context.stdout.write(`${JSON.stringify(result)}\n`);
  }
  if (options.junit !== undefined) {
    const report = junitReport(header, lines, summary);
    await writeReport(resolve(context.cwd, options.junit), report);
  }
  if (options.html !== undefined) {
    const analysis = analysisOf(lines);
    const report = htmlReport({ header, lines, summary, analysis, agentLabels, floors });
    await writeReport(resolve(context.cwd, options.html), report);
  }
  if (isCancelled) return;
  if (options.snapshotOut !== undefined) {
    await writeReport(resolve(context.cwd, options.snapshotOut), snapshotOf(lines));
  }
  if (options.recordBaseline === true) {
    requireBaseline(lines);
    await writeReport(run.baselinePath, snapshotOf(lines));
    if (options.json !== true) context.stdout.write(`baseline recorded in ${run.baselinePath}\n`);
  }
}

function analysisOf(lines: readonly CaseLine[]): EvalAnalysis {
  const fold = new AnalysisFold();
  for (const line of lines) if (line.type === 'case') fold.add(line);
  return fold.result();
}

function snapshotOf(lines: readonly CaseLine[]): string {
  const cases = lines.flatMap((line) => (line.type === 'case' ? [snapshotCase(line)] : []));
  return snapshotText(cases, new Date());
}

/** A baseline asserts every case from then on, so each must have been routed, and always the same way. */
function requireBaseline(lines: readonly CaseLine[]): void {
  const bad = lines.find(
    (line) => line.type === 'case_error' || line.failures.includes('determinism'),
  );
  if (bad === undefined) return;
  throw new CommandFailed(`no baseline was recorded: the case ${bad.id} gave no steady route`);
}
