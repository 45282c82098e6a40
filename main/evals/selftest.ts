import type { EvalCase } from '../../contracts/evals.ts';
import { toFailure } from '../../contracts/failure.ts';
import type { RouteLogits } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import { argmax, margin } from '../../contracts/logits.ts';
import { diagnosticText, type Diagnostic } from './case-parser.ts';
import type { Snapshot, SnapshotCase } from './snapshot.ts';
import { upstreamTranscriptHash } from './upstream/hashes.ts';

export interface SelftestCase {
  readonly id: string;
  readonly isPassed: boolean;
  /** What differs, in words, decisions with their margins. */
  readonly problems: readonly string[];
}

/** How close the logits of a whole suite come to the snapshot's. Reported, never asserted. */
export interface LogitAgreement {
  readonly cosine: number;
  /** |ours - snapshot| / |snapshot| over all logits. */
  readonly relativeL2: number;
}

export interface SelftestResult {
  readonly cases: readonly SelftestCase[];
  readonly passed: number;
  /** Why the suite was not tested whole: what of it was passed over, and snapshot entries without a case. */
  readonly suiteProblems: readonly string[];
  /** The head's digest differs from the reference's. */
  readonly headProblem: string | null;
  readonly agreement: LogitAgreement | null;
  readonly isPassed: boolean;
}

export interface SelftestOptions {
  readonly cases: readonly EvalCase[];
  /** What of the suite was passed over. */
  readonly diagnostics: readonly Diagnostic[];
  readonly snapshot: Snapshot;
  readonly router: Router;
  /** Digest of the head file in use, and the one that the reference has. */
  readonly headSha256: string;
  readonly referenceHeadSha256: string;
  readonly signal: AbortSignal;
  readonly onCase: (done: SelftestCase, position: number, total: number) => void;
}

/**
 * The parity gate: routes the reference cases and requires the snapshot's slot and role in each, the
 * exact token count and hidden index, an equal transcript, and an equal head. Logits are compared as one
 * vector over the suite and only reported: another kernel stack moves them by some tenths while every
 * decision stands. A suite that could not be read whole, or lacks a case of the snapshot, does not pass.
 */
export async function runSelftest(options: SelftestOptions): Promise<SelftestResult> {
  const done: SelftestCase[] = [];
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const evalCase of options.cases) {
    options.signal.throwIfAborted();
    const entry = options.snapshot.get(evalCase.id);
    const result = await testCase(evalCase, entry, options, (logits) => {
      ours.push(...logits.agentLogits, ...logits.roleLogits);
      theirs.push(...(entry?.agent_logits_rounded ?? []), ...(entry?.role_logits_rounded ?? []));
    });
    done.push(result);
    options.onCase(result, done.length, options.cases.length);
  }
  const headProblem =
    options.headSha256 === options.referenceHeadSha256
      ? null
      : `the head's digest is ${options.headSha256}, the reference's ${options.referenceHeadSha256}`;
  const passed = done.filter((result) => result.isPassed).length;
  const suiteProblems = suiteProblemsOf(options);
  return {
    cases: done,
    passed,
    suiteProblems,
    headProblem,
    agreement: agreementOf(ours, theirs),
    isPassed:
      headProblem === null &&
      suiteProblems.length === 0 &&
      done.length > 0 &&
      passed === done.length,
  };
}

function suiteProblemsOf({ cases, diagnostics, snapshot }: SelftestOptions): string[] {
  const ids = new Set(cases.map(({ id }) => id));
  return [
    ...diagnostics.map(diagnosticText),
    ...[...snapshot.keys()]
      .filter((id) => !ids.has(id))
      .map((id) => `${id}: in the snapshot, but not among the cases`),
  ];
}

async function testCase(
  evalCase: EvalCase,
  entry: SnapshotCase | undefined,
  options: SelftestOptions,
  onLogits: (logits: RouteLogits) => void,
): Promise<SelftestCase> {
  const { id, messages } = evalCase;
  if (entry === undefined) {
    return { id, isPassed: false, problems: ['the snapshot has no such case'] };
  }
  let logits: RouteLogits;
  try {
    logits = await options.router.route(
      { messages: [...messages], windowTokens: null, messageCharacters: null },
      { signal: options.signal },
    );
  } catch (error) {
    if (options.signal.aborted) throw error;
    return { id, isPassed: false, problems: [`not routed: ${toFailure(error).message}`] };
  }
  onLogits(logits);
  const problems = problemsOf(evalCase, entry, logits);
  return { id, isPassed: problems.length === 0, problems };
}

function problemsOf(evalCase: EvalCase, entry: SnapshotCase, logits: RouteLogits): string[] {
  const agentId = argmax(logits.agentLogits);
  const roleId = argmax(logits.roleLogits);
  const hiddenIndex = Math.max(0, entry.token_count - 2);
  const problems: string[] = [];
  if (upstreamTranscriptHash(evalCase.messages) !== entry.transcript_hash) {
    problems.push('the transcript differs from the snapshot');
  }
  if (logits.tokenCount !== entry.token_count) {
    problems.push(`${logits.tokenCount} tokens, the snapshot has ${entry.token_count}`);
  }
  if (logits.hiddenIndex !== hiddenIndex) {
    problems.push(`hidden index ${logits.hiddenIndex}, the snapshot has ${hiddenIndex}`);
  }
  if (agentId !== entry.agent_id) {
    problems.push(flip('slot', entry.agent_id, agentId, entry.agent_margin, logits.agentLogits));
  }
  if (roleId !== entry.role_id) {
    problems.push(flip('role', entry.role_id, roleId, entry.role_margin, logits.roleLogits));
  }
  return problems;
}

function flip(
  what: string,
  from: number,
  to: number,
  snapshotMargin: number,
  logits: readonly number[],
): string {
  const own = (margin(logits) ?? 0).toFixed(4);
  return `${what} ${from} became ${to} (margin ${own}, the snapshot's ${snapshotMargin.toFixed(4)})`;
}

function agreementOf(ours: readonly number[], theirs: readonly number[]): LogitAgreement | null {
  if (ours.length === 0 || ours.length !== theirs.length) return null;
  let dot = 0;
  let ourSquares = 0;
  let theirSquares = 0;
  let differences = 0;
  ours.forEach((value, index) => {
    const other = theirs[index] ?? 0;
    dot += value * other;
    ourSquares += value * value;
    theirSquares += other * other;
    differences += (value - other) ** 2;
  });
  return {
    cosine: dot / Math.max(Number.MIN_VALUE, Math.sqrt(ourSquares * theirSquares)),
    relativeL2: Math.sqrt(differences / Math.max(Number.MIN_VALUE, theirSquares)),
  };
}
