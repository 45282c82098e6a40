import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RouterClient } from '../../../../model-runtime/client.ts';
import { isPass } from '../../../evals/assembled.ts';
import { EvalError } from '../../../evals/eval-error.ts';
import { evaluate } from '../../../evals/evaluation.ts';
import { FloorsStore, resolveFloors, type FloorsKey } from '../../../evals/floors-store.ts';
import type { Floors } from '../../../evals/judgement.ts';
import { evalPlaces } from '../../../evals/places.ts';
import type { CaseLine } from '../../../evals/results-file.ts';
import { selectedCases } from '../../../evals/selection.ts';
import { readSnapshot, type Snapshot } from '../../../evals/snapshot.ts';
import { inspectSuite, type SuiteReport } from '../../../evals/suite.ts';
import { withUnknownSlots } from '../../../evals/unknown-slots.ts';
import type { DataLayout } from '../../data-layout.ts';
import { createSystemClock } from '../../system-clock.ts';
import { openLayout, withRouter } from '../active-router.ts';
import { CommandFailed, UsageError, type TerminalContext } from '../context.ts';
import { clearLine, styleOf } from '../style.ts';
import { selectionOf, type EvalCommandOptions } from './eval-options.ts';
import { caseLines, diagnosticLines, summaryLines, type SnapshotSource } from './eval-output.ts';
import { identify, suitePathOf } from './machine.ts';
import { plainLine } from './plain-line.ts';
import { writeReport } from './report-file.ts';
import { keepsLines, requireOutputs, writeOutputs, type RunOutcome } from './run-outputs.ts';

/** `--list-cases`. */
export async function listCasesAction(
  context: TerminalContext,
  options: EvalCommandOptions,
): Promise<void> {
  const suite = suitePathOf(options.suite, openLayout(context, options), context.cwd);
  for await (const { id, tags } of selectedCases(suite, selectionOf(options))) {
    const line = `${id}${tags.length === 0 ? '' : `  (${tags.join(', ')})`}`;
    context.stdout.write(`${plainLine(line)}\n`);
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
  const { ids, tags, pattern } = selectionOf(options);
  if (options.recordBaseline === true && ids.length + tags.length + (pattern?.length ?? 0) > 0) {
    throw new UsageError(
      'a baseline is recorded on the whole suite: leave out --case, --tag, --match',
    );
  }
  const suitePath = suitePathOf(options.suite, openLayout(context, options), context.cwd);
  const inputs = [suitePath, ...(options.snapshot ? [resolve(context.cwd, options.snapshot)] : [])];
  await requireOutputs(options, inputs, context.cwd);
  // What is wrong with the suite or snapshot is said before a router is loaded.
  const suite = await inspectSuite(suitePath);
  const style = styleOf(context.stdout, context.env);
  if (suite.caseCount === 0) {
    // Said on stderr, because nothing follows that `--json` could carry it in.
    for (const line of diagnosticLines(suite, style)) context.stderr.write(`${line}\n`);
    throw new EvalError('suite_empty', `${suitePath} holds no case that can run.`);
  }
  const given = options.snapshot === undefined ? null : await readSnapshot(inputs[1]!);
  await withRouter(context, options, async (router, layout) => {
    const run = await prepare(context, options, router, layout, { suitePath, suite, given });
    tell(context, options, diagnosticLines(run.suite, style));
    const outcome = await perform(context, options, router, run);
    await writeOutputs(context, options, run, outcome);
    if (outcome.isCancelled) {
      throw new CommandFailed(
        options.out === undefined
          ? 'cancelled'
          : 'cancelled; --resume goes on with the file of --out',
      );
    }
    if (!isPass(outcome.summary)) throw new CommandFailed('');
  });
}

interface GivenFiles {
  readonly suitePath: string;
  readonly suite: SuiteReport;
  /** The snapshot of `--snapshot`. */
  readonly given: Snapshot | null;
}

interface PreparedRun {
  readonly suitePath: string;
  readonly suite: SuiteReport;
  readonly identity: Awaited<ReturnType<typeof identify>>;
  readonly floors: Floors;
  readonly snapshot: Snapshot | null;
  readonly snapshotSource: SnapshotSource;
  readonly baselinePath: string;
  readonly agentLabels: readonly string[];
}

async function prepare(
  context: TerminalContext,
  options: EvalCommandOptions,
  router: RouterClient,
  layout: DataLayout,
  { suitePath, suite, given }: GivenFiles,
): Promise<PreparedRun> {
  const identity = await identify(router, context.signal);
  const { fallback } = router.state();
  if (fallback) context.stderr.write(`note: ${plainLine(fallback.reason)}\n`);
  const key: FloorsKey = { ...identity, suiteHash: suite.suiteHash };
  const agents = router.state().router;
  const places = evalPlaces(layout.evals);
  const baselinePath = places.snapshot(key);
  const asserted = given ?? (await recordedBaseline(options, baselinePath));
  return {
    suitePath,
    suite:
      agents === null
        ? suite
        : await withUnknownSlots(suite, suitePath, selectionOf(options), agents.agentCount),
    identity,
    floors: await resolveFloors(
      { agent: options.minAgentMargin ?? null, role: options.minRoleMargin ?? null },
      key,
      new FloorsStore(places.calibrations, writeReport),
    ),
    snapshot: asserted,
    snapshotSource: sourceOf(options, asserted, baselinePath, context.cwd),
    baselinePath,
    agentLabels: agents?.agentLabels ?? [],
  };
}

/** The baseline of exactly this router, profile and suite; none while a new one is recorded. */
async function recordedBaseline(
  options: EvalCommandOptions,
  path: string,
): Promise<Snapshot | null> {
  if (options.recordBaseline === true || !existsSync(path)) return null;
  return readSnapshot(path);
}

function sourceOf(
  options: EvalCommandOptions,
  snapshot: Snapshot | null,
  baselinePath: string,
  cwd: string,
): SnapshotSource {
  if (snapshot === null) return { from: 'none' };
  if (options.snapshot === undefined) return { from: 'baseline', path: baselinePath };
  return { from: 'flag', path: resolve(cwd, options.snapshot) };
}

async function perform(
  context: TerminalContext,
  options: EvalCommandOptions,
  router: RouterClient,
  run: PreparedRun,
): Promise<RunOutcome> {
  const style = styleOf(context.stdout, context.env);
  const lines: CaseLine[] = [];
  let started: Pick<RunOutcome, 'header' | 'suite'> | null = null;
  const keeps = keepsLines(options);
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
    if (event.type === 'started') started = event;
    else if (event.type === 'case') {
      if (keeps) lines.push(event.line);
      tell(context, options, caseLines(event.line, event.evalCase, event, run.agentLabels, style));
      if (options.json === true) tellPlace(context, event);
    } else if (started !== null) {
      tell(context, options, summaryLines(event.summary, run, run.agentLabels, style));
      return { ...started, lines, summary: event.summary, isCancelled: event.isCancelled };
    }
  }
  throw new CommandFailed('the evaluation ended before it began');
}

/** On a terminal's stderr, because `--json` has stdout to itself. */
function tellPlace(
  { stderr, env }: TerminalContext,
  { position, total }: { readonly position: number; readonly total: number },
): void {
  if (!styleOf(stderr, env).canRedraw) return;
  stderr.write(position === total ? clearLine : `${clearLine}${position} of ${total} cases`);
}

function tell(
  context: TerminalContext,
  options: EvalCommandOptions,
  lines: readonly string[],
): void {
  if (options.json !== true && lines.length > 0) context.stdout.write(`${lines.join('\n')}\n`);
}
