import type { EvalCase, EvalCaseResult, EvalSummary } from '../../contracts/evals.ts';
import { toFailure } from '../../contracts/failure.ts';
import { argmax, margin } from '../../contracts/logits.ts';
import type { RouteLogits } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import { transcriptHash } from '../../coordinator/hash.ts';
import { assertsAnything, failuresOf, type Floors } from './judgement.ts';
import type { CaseLine } from './results-file.ts';
import type { Snapshot } from './snapshot.ts';
import { upstreamRouteHash, upstreamTranscriptHash } from './upstream/hashes.ts';

export interface RunnerOptions {
  readonly router: Router;
  readonly floors: Floors;
  readonly snapshot: Snapshot | null;
  /** Report what is chosen and assert nothing, determinism excepted. */
  readonly isReportOnly: boolean;
  /** Routes of every case; logits of the further ones must be bit-equal to the first. */
  readonly determinismRuns: number;
  readonly tokenizer: 'typed' | 'plain';
  readonly signal: AbortSignal;
}

/**
 * Routes cases in order and judges each: everything is read (no window, no character cap short of the
 * runtime's limit) and no prefix cache is used. A case that cannot be routed becomes a `case_error` line
 * and the next one runs. Ends early, without a line for the case in flight, when the signal aborts.
 */
export async function* runCases(
  cases: AsyncIterable<EvalCase>,
  options: RunnerOptions,
): AsyncGenerator<CaseLine> {
  for await (const evalCase of cases) {
    if (options.signal.aborted) return;
    const line = await runCase(evalCase, options);
    if (options.signal.aborted) return;
    yield line;
  }
}

async function runCase(evalCase: EvalCase, options: RunnerOptions): Promise<CaseLine> {
  try {
    const first = await routeOnce(evalCase, options);
    let isDeterministic = true;
    for (let run = 1; run < options.determinismRuns; run++) {
      if (!haveSameBits(first, await routeOnce(evalCase, options))) isDeterministic = false;
    }
    return judge(evalCase, first, isDeterministic, options);
  } catch (error) {
    const { code, message } = toFailure(error);
    return {
      type: 'case_error',
      id: evalCase.id,
      status: 'error',
      code,
      message,
      tags: [...evalCase.tags],
    };
  }
}

function routeOnce(evalCase: EvalCase, options: RunnerOptions): Promise<RouteLogits> {
  return options.router.route(
    {
      messages: evalCase.messages,
      windowTokens: null,
      messageCharacters: null,
      tokenizer: options.tokenizer,
    },
    { signal: options.signal },
  );
}

function judge(
  evalCase: EvalCase,
  route: RouteLogits,
  isDeterministic: boolean,
  options: RunnerOptions,
): EvalCaseResult {
  const agentId = argmax(route.agentLogits);
  const roleId = argmax(route.roleLogits);
  const entry = options.snapshot?.get(evalCase.id);
  const judged = {
    agentId,
    roleId,
    agentMargin: margin(route.agentLogits),
    roleMargin: margin(route.roleLogits),
    tokenCount: route.tokenCount,
    upstreamTranscriptHash: upstreamTranscriptHash(evalCase.messages),
  };
  const asserted = options.isReportOnly ? [] : failuresOf(evalCase, judged, options.floors, entry);
  const failures = isDeterministic ? asserted : [...asserted, 'determinism'];
  const isAsserted = !options.isReportOnly && assertsAnything(evalCase, options.floors, entry);
  return {
    type: 'case',
    id: evalCase.id,
    status: failures.length > 0 ? 'failed' : isAsserted ? 'passed' : 'reported',
    failures,
    ...judged,
    agentLogits: route.agentLogits,
    roleLogits: route.roleLogits,
    hiddenIndex: route.hiddenIndex,
    transcriptHash: transcriptHash(evalCase.messages),
    upstreamRouteHash: upstreamRouteHash(agentId, roleId, route.agentLogits, route.roleLogits),
    ms: route.timings.totalMs,
    tags: [...evalCase.tags],
    expected: evalCase.expected,
  };
}

function haveSameBits(a: RouteLogits, b: RouteLogits): boolean {
  const left = [...a.agentLogits, ...a.roleLogits];
  const right = [...b.agentLogits, ...b.roleLogits];
  return (
    left.length === right.length && left.every((value, index) => Object.is(value, right[index]))
  );
}

/** The summary before any case. */
export const emptySummary: EvalSummary = {
  type: 'summary',
  passed: 0,
  failed: 0,
  reported: 0,
  errors: 0,
  agents: {},
  roles: {},
  worstAgentMargin: null,
  worstRoleMargin: null,
};

/** The summary with one more case folded in. */
export function summarise(summary: EvalSummary, line: CaseLine): EvalSummary {
  if (line.type === 'case_error') return { ...summary, errors: summary.errors + 1 };
  return {
    ...summary,
    passed: summary.passed + Number(line.status === 'passed'),
    failed: summary.failed + Number(line.status === 'failed'),
    reported: summary.reported + Number(line.status === 'reported'),
    agents: increment(summary.agents, line.agentId),
    roles: increment(summary.roles, line.roleId),
    worstAgentMargin: worse(summary.worstAgentMargin, line.id, line.agentMargin),
    worstRoleMargin: worse(summary.worstRoleMargin, line.id, line.roleMargin),
  };
}

function increment(counts: Readonly<Record<string, number>>, id: number): Record<string, number> {
  return { ...counts, [id]: (counts[id] ?? 0) + 1 };
}

function worse(
  known: EvalSummary['worstAgentMargin'],
  id: string,
  margin: number | null,
): EvalSummary['worstAgentMargin'] {
  if (margin === null || (known !== null && known.margin <= margin)) return known;
  return { id, margin };
}
