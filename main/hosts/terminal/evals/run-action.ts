import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EvalHeader, EvalSummary } from '../../../../contracts/evals.ts';
import type { RouterClient } from '../../../../model-runtime/client.ts';
import { writeTextAtomically } from '../../../settings/atomic-text.ts';
import { AnalysisFold } from '../../../evals/analysis.ts';
import { isPass, type AssembledResult } from '../../../evals/assembled.ts';
import { evaluate } from '../../../evals/evaluation.ts';
import { FloorsStore, resolveFloors, type FloorsKey } from '../../../evals/floors-store.ts';
import type { Floors } from '../../../evals/judgement.ts';
import { evalPlaces, type EvalPlaces } from '../../../evals/places.ts';
import { htmlReport } from '../../../evals/reports/html.ts';
import { junitReport } from '../../../evals/reports/junit.ts';
import type { CaseLine } from '../../../evals/results-file.ts';
import { selectedCases } from '../../../evals/selection.ts';
import {
  readSnapshot,
  snapshotCase,
  snapshotText,
  type Snapshot,
} from '../../../evals/snapshot.ts';
import { inspectSuite, type SuiteReport } from '../../../evals/suite.ts';
import type { DataLayout } from '../../data-layout.ts';
import { createSystemClock } from '../../system-clock.ts';
import { withRouter } from '../active-router.ts';
import { CommandFailed, UsageError, type TerminalContext } from '../context.ts';
import { styleOf } from '../style.ts';
import { selectionOf, type EvalCommandOptions } from './eval-options.ts';
import { caseLines, diagnosticLines, summaryLines } from './eval-output.ts';
import { identify, suitePathOf } from './machine.ts';

export const assetsFolder = fileURLToPath(new URL('../../../../assets', import.meta.url));

/** Writes a text file atomically, its folder included. */
export async function writeReport(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeTextAtomically(path, text, String(process.pid));
}

/** `--list-cases`. */
export async function listCasesAction(
  context: TerminalContext,
  options: EvalCommandOptions,
): Promise<void> {
  const suite = suitePathOf(options.suite, assetsFolder, context.cwd);
  for await (const { id, tags } of selectedCases(suite, selectionOf(options))) {
    context.stdout.write(`${id}${tags.length === 0 ? '' : `  (${tags.join(', ')})`}\n`);
  }
}

/** `trinity eval`: fails with exit code 1 unless every asserted case passed. */
export async function runEvalAction(
  context: TerminalContext,
  options: EvalCommandOptions,
): Promise<void> {
  if (options.resume === true && options.out === undefined) {
    throw new UsageError('--resume needs the results file in --out');
  }
  await withRouter(context, options, async (router, layout) => {
    const run = await prepare(context, options, router, layout);
    const outcome = await perform(context, options, router, run);
    await writeOutputs(context, options, run, outcome);
    if (outcome.isCancelled) throw new CommandFailed('cancelled; resume with --resume --out');
    if (!isPass(outcome.summary)) throw new CommandFailed('');
  });
}

interface PreparedRun {
  readonly suitePath: string;
  readonly identity: Awaited<ReturnType<typeof identify>>;
  readonly floors: Floors;
  readonly snapshot: Snapshot | null;
  readonly agentLabels: readonly string[];
}

interface Outcome {
  readonly header: EvalHeader;
  readonly suite: SuiteReport;
  readonly lines: readonly CaseLine[];
  readonly summary: EvalSummary;
  readonly isCancelled: boolean;
}

async function prepare(
  context: TerminalContext,
  options: EvalCommandOptions,
  router: RouterClient,
  layout: DataLayout,
): Promise<PreparedRun> {
  const suitePath = suitePathOf(options.suite, assetsFolder, context.cwd);
  const { suiteHash } = await inspectSuite(suitePath);
  const identity = await identify(router, context.signal);
  const key: FloorsKey = { ...identity, suiteHash };
  const places = evalPlaces(layout.evals);
  return {
    suitePath,
    identity,
    floors: await resolveFloors(
      { agent: options.minAgentMargin ?? null, role: options.minRoleMargin ?? null },
      key,
      new FloorsStore(places.calibrations, writeReport),
    ),
    snapshot: await resolveSnapshot(options, places, key, context.cwd),
    agentLabels: router.state().router?.agentLabels ?? [],
  };
}

/** The flag's snapshot, else the data directory's of exactly this router, profile and suite, else none. */
async function resolveSnapshot(
  options: EvalCommandOptions,
  places: EvalPlaces,
  key: FloorsKey,
  cwd: string,
): Promise<Snapshot | null> {
  if (options.snapshot !== undefined) return readSnapshot(resolve(cwd, options.snapshot));
  const own = places.snapshot(key);
  return existsSync(own) ? readSnapshot(own) : null;
}

async function perform(
  context: TerminalContext,
  options: EvalCommandOptions,
  router: RouterClient,
  run: PreparedRun,
): Promise<Outcome> {
  const style = styleOf(context.stdout, context.env);
  const lines: CaseLine[] = [];
  let started: { header: EvalHeader; suite: SuiteReport } | null = null;
  const events = evaluate({
    ...run,
    router,
    selection: selectionOf(options),
    resultsPath: options.out === undefined ? null : resolve(context.cwd, options.out),
    isResumed: options.resume === true,
    isReportOnly: options.reportOnly === true,
    determinismRuns: options.determinismRuns,
    tokenizer: options.plain === true ? 'plain' : 'typed',
    clock: createSystemClock(),
    signal: context.signal,
  });
  for await (const event of events) {
    if (event.type === 'started') {
      started = event;
      tell(context, options, diagnosticLines(event.suite, style));
    } else if (event.type === 'case') {
      lines.push(event.line);
      tell(context, options, caseLines(event.line, event.evalCase, event, run.agentLabels, style));
    } else if (started !== null) {
      tell(context, options, summaryLines(event.summary, run.floors, run.agentLabels, style));
      return { ...started, lines, summary: event.summary, isCancelled: event.isCancelled };
    }
  }
  throw new CommandFailed('the evaluation ended before it began');
}

function tell(
  context: TerminalContext,
  options: EvalCommandOptions,
  lines: readonly string[],
): void {
  if (options.json !== true && lines.length > 0) context.stdout.write(`${lines.join('\n')}\n`);
}

async function writeOutputs(
  context: TerminalContext,
  options: EvalCommandOptions,
  run: PreparedRun,
  { header, suite, lines, summary }: Outcome,
): Promise<void> {
  const cases = lines.flatMap((line) => (line.type === 'case' ? [line] : []));
  if (options.json === true) {
    const { floors } = run;
    const { diagnostics } = suite;
    const result: AssembledResult = {
      format: 'trinity-eval',
      header,
      floors,
      diagnostics,
      cases: lines,
      summary,
    };
    context.stdout.write(`${JSON.stringify(result)}\n`);
  }
  if (options.junit !== undefined) {
    await writeReport(resolve(context.cwd, options.junit), junitReport(header, lines, summary));
  }
  if (options.html !== undefined) {
    const fold = new AnalysisFold();
    for (const line of cases) fold.add(line);
    const { floors, agentLabels } = run;
    const report = htmlReport({
      header,
      lines,
      summary,
      analysis: fold.result(),
      agentLabels,
      floors,
    });
    await writeReport(resolve(context.cwd, options.html), report);
  }
  if (options.snapshotOut !== undefined) {
    const text = snapshotText(cases.map(snapshotCase), new Date());
    await writeReport(resolve(context.cwd, options.snapshotOut), text);
  }
}
