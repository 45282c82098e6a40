import type { EvalCase, EvalHeader, EvalRequest, EvalSummary } from '../../contracts/evals.ts';
import type { Clock } from '../../contracts/ports.ts';
import { findResumePoint } from './resume-point.ts';
import { ResultsLock } from './results-lock.ts';
import { ResultsWriter, type CaseLine } from './results-file.ts';
import { emptySummary, runCases, summarise, type RunnerOptions } from './runner.ts';
import { countSelected, selectedCases, type CaseSelection } from './selection.ts';
import { snapshotHash } from './snapshot.ts';
import { inspectSuite, type SuiteReport } from './suite.ts';

/** What identifies the router and machine of an evaluation. */
export type EvaluationIdentity = Pick<
  EvalHeader,
  'adapterRef' | 'profile' | 'precision' | 'graphVersion' | 'machine'
>;

export interface EvaluationOptions extends RunnerOptions {
  readonly suitePath: string;
  /** What `inspectSuite` found, where it was asked already. */
  readonly suite?: SuiteReport;
  readonly selection: CaseSelection;
  readonly identity: EvaluationIdentity;
  /** Where results go as they come; null keeps nothing on disk. */
  readonly resultsPath: string | null;
  /** Goes on with the results file, so that only the cases it lacks are routed; without one, begins it. */
  readonly isResumed: boolean;
  readonly clock: Clock;
}

/** Progress of an evaluation: what stands before the first case, then each case, then the end. */
export type EvaluationEvent =
  | {
      readonly type: 'started';
      readonly header: EvalHeader;
      readonly suite: SuiteReport;
      readonly total: number;
    }
  | {
      readonly type: 'case';
      /** From 1. */
      readonly position: number;
      readonly total: number;
      readonly line: CaseLine;
      readonly evalCase: EvalCase | null;
      /** True for a case that an earlier run had done. */
      readonly isFromEarlier: boolean;
      /** Null until one case was routed here. */
      readonly remainingMs: number | null;
    }
  | { readonly type: 'finished'; readonly summary: EvalSummary; readonly isCancelled: boolean };

/**
 * Runs a suite: validates it, writes header, cases and summary as results lines, and tells each as an
 * event. Cancelling through the signal keeps what is written, and a later call with `isResumed` routes
 * only what is missing.
 *
 * @throws EvalError for a suite, selection or results file that cannot be used
 */
export async function* evaluate(options: EvaluationOptions): AsyncGenerator<EvaluationEvent> {
  const suite = options.suite ?? (await inspectSuite(options.suitePath));
  const total = await countSelected(options.suitePath, options.selection);
  const header: EvalHeader = {
    type: 'header',
    format: 'trinity-eval',
    version: 1,
    suiteHash: suite.suiteHash,
    suiteName: suite.name,
    caseCount: total,
    startedAt: options.clock.now(),
    ...options.identity,
    asked: requestOf(options),
  };
  const lock = options.resultsPath === null ? null : await ResultsLock.take(options.resultsPath);
  try {
    yield* evaluateInto(options, header, suite);
  } finally {
    await lock?.release();
  }
}

async function* evaluateInto(
  options: EvaluationOptions,
  header: EvalHeader,
  suite: SuiteReport,
): AsyncGenerator<EvaluationEvent> {
  const total = header.caseCount;
  const { writer, done } = await openWriter(options, header);
  const doneIds = new Set(done.map((line) => line.id));
  const ledger = new SourceLedger(selectedCases(options.suitePath, options.selection), doneIds);
  let summary = emptySummary;
  let position = 0;
  try {
    yield { type: 'started', header, suite, total };
    for (const line of done) {
      summary = summarise(summary, line);
      position += 1;
      yield {
        type: 'case',
        position,
        total,
        line,
        evalCase: null,
        isFromEarlier: true,
        remainingMs: null,
      };
    }
    const startedAt = options.clock.monotonic();
    let routed = 0;
    for await (const line of runCases(ledger.remaining(), options)) {
      await writer?.append(line);
      summary = summarise(summary, line);
      position += 1;
      routed += 1;
      const perCaseMs = (options.clock.monotonic() - startedAt) / routed;
      yield {
        type: 'case',
        position,
        total,
        line,
        evalCase: ledger.current,
        isFromEarlier: false,
        remainingMs: perCaseMs * (total - position),
      };
    }
    const isCancelled = options.signal.aborted;
    if (!isCancelled) await writer?.finish(summary);
    yield { type: 'finished', summary, isCancelled };
  } finally {
    await writer?.close();
  }
}

function requestOf(options: EvaluationOptions): EvalRequest {
  const { selection, floors, snapshot } = options;
  return {
    cases: [...selection.ids],
    tags: [...selection.tags],
    match: selection.pattern,
    tokenizer: options.tokenizer,
    determinismRuns: options.determinismRuns,
    reportOnly: options.isReportOnly,
    agentFloor: floors.agent,
    roleFloor: floors.role,
    floorSource: floors.source,
    snapshotHash: snapshot === null ? null : snapshotHash(snapshot),
  };
}

async function openWriter(
  options: EvaluationOptions,
  header: EvalHeader,
): Promise<{ writer: ResultsWriter | null; done: readonly CaseLine[] }> {
  if (options.resultsPath === null) return { writer: null, done: [] };
  const point = options.isResumed ? await findResumePoint(options.resultsPath, header) : null;
  if (point !== null) {
    const writer = await ResultsWriter.goOn(options.resultsPath, header, point);
    return { writer, done: point.done };
  }
  return { writer: await ResultsWriter.create(options.resultsPath, header), done: [] };
}

/** Hands out the cases that are not done and remembers the one that is being routed. */
class SourceLedger {
  current: EvalCase | null = null;
  readonly #cases: AsyncIterable<EvalCase>;
  readonly #done: ReadonlySet<string>;

  constructor(cases: AsyncIterable<EvalCase>, done: ReadonlySet<string>) {
    this.#cases = cases;
    this.#done = done;
  }

  async *remaining(): AsyncGenerator<EvalCase> {
    for await (const evalCase of this.#cases) {
      if (this.#done.has(evalCase.id)) continue;
      this.current = evalCase;
      yield evalCase;
    }
  }
}
