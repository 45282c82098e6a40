import type { EvalCase, EvalSummary } from '../../../../contracts/evals.ts';
import { roleNameOf } from '../../../../contracts/roles.ts';
import { diagnosticText } from '../../../evals/case-parser.ts';
import type { Floors } from '../../../evals/judgement.ts';
import type { CaseLine } from '../../../evals/results-file.ts';
import type { SuiteReport } from '../../../evals/suite.ts';
import { paint, type TerminalStyle } from '../style.ts';
import { plainLine } from './plain-line.ts';

const statusWords = {
  passed: 'PASS',
  failed: 'FAIL',
  reported: 'REPORT ONLY',
  error: 'ERROR',
} as const;

const promptCharacters = 72;

/** The lines of one case: `[i/n] id - PASS|FAIL`, prompt, expected and returned route, tokens. */
export function caseLines(
  line: CaseLine,
  evalCase: EvalCase | null,
  place: { readonly position: number; readonly total: number; readonly remainingMs: number | null },
  agentLabels: readonly string[],
  style: TerminalStyle,
): string[] {
  const status = statusWords[line.status];
  const colour = line.status === 'failed' || line.status === 'error' ? 'red' : 'green';
  const eta =
    place.remainingMs === null ? '' : paint(style, 'dim', `  ${inTime(place.remainingMs)} left`);
  const head = `[${place.position}/${place.total}] ${plainLine(line.id)} - ${paint(style, colour, status)}${eta}`;
  if (line.type === 'case_error')
    return [head, `  ${plainLine(line.message)} (${plainLine(line.code)})`];
  const name = slotName(agentLabels);
  const expectedAgents = line.expected.agentIds?.map(name).join(' or ') ?? 'any slot';
  const expectedRoles = line.expected.roleIds?.map(roleNameOf).join(' or ') ?? 'any role';
  return [
    head,
    ...(evalCase === null ? [] : [`  prompt    ${shortPrompt(evalCase)}`]),
    `  expected  ${expectedAgents}, ${expectedRoles}`,
    `  returned  ${name(line.agentId)}, ${roleNameOf(line.roleId)}` +
      `  (margins ${(line.agentMargin ?? 0).toFixed(4)}, ${(line.roleMargin ?? 0).toFixed(4)})`,
    `  tokens    ${line.tokenCount}`,
    ...(line.failures.length === 0
      ? []
      : [paint(style, 'red', `  failed    ${plainLine(line.failures.join(', '))}`)]),
  ];
}

/** Names a slot by index and label. */
export function slotName(agentLabels: readonly string[]): (id: number) => string {
  return (id) => `${id} ${plainLine(agentLabels[id] ?? '')}`.trimEnd();
}

function shortPrompt(evalCase: EvalCase): string {
  const last = evalCase.messages.at(-1)?.content ?? '';
  // More than any grapheme of a prompt holds, so that a text of megabytes is not segmented whole.
  const start = last.slice(0, promptCharacters * 20);
  const line = plainLine(start).replace(/\s+/gu, ' ').trim();
  const graphemes = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
  return graphemes.length <= promptCharacters && start.length === last.length
    ? line
    : `${graphemes.slice(0, promptCharacters).join('')}…`;
}

function inTime(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** What a suite holds that will not run. */
export function diagnosticLines(suite: SuiteReport, style: TerminalStyle): string[] {
  const lines = suite.diagnostics.map((diagnostic) =>
    paint(style, 'yellow', plainLine(diagnosticText(diagnostic))),
  );
  if (suite.moreDiagnostics > 0) lines.push(`and ${suite.moreDiagnostics} more`);
  return lines;
}

/** Where the snapshot that was asserted came from. */
export type SnapshotSource =
  { readonly from: 'flag' | 'baseline'; readonly path: string } | { readonly from: 'none' };

function snapshotWords(source: SnapshotSource): string {
  if (source.from === 'none') return 'none for this router, profile and suite';
  return source.from === 'flag' ? source.path : `the baseline recorded here, ${source.path}`;
}

/** Totals, choices per slot and role, worst margins, and where the floors came from. */
export function summaryLines(
  summary: EvalSummary,
  judgedBy: { readonly floors: Floors; readonly snapshotSource: SnapshotSource },
  agentLabels: readonly string[],
  style: TerminalStyle,
): string[] {
  const isGood = summary.failed === 0 && summary.errors === 0;
  const totals =
    `${summary.passed} passed, ${summary.failed} failed, ` +
    `${summary.reported} reported, ${summary.errors} errors`;
  const counts = (
    record: Readonly<Record<string, number>>,
    nameOf: (id: number) => string,
  ): string =>
    Object.entries(record)
      .map(([id, count]) => `${nameOf(Number(id))}: ${count}`)
      .join(', ');
  const worst = (entry: EvalSummary['worstAgentMargin']): string =>
    entry === null ? 'none' : `${entry.margin.toFixed(4)} (${plainLine(entry.id)})`;
  return [
    '',
    paint(style, isGood ? 'green' : 'red', totals),
    `slots  ${counts(summary.agents, slotName(agentLabels))}`,
    `roles  ${counts(summary.roles, roleNameOf)}`,
    `worst margins  slot ${worst(summary.worstAgentMargin)}, role ${worst(summary.worstRoleMargin)}`,
    floorsLine(judgedBy.floors),
    `snapshot  ${plainLine(snapshotWords(judgedBy.snapshotSource))}`,
  ];
}

const sourceWords = {
  flag: 'given',
  calibration: 'calibrated',
  flag_and_calibration: 'given in part, the rest calibrated',
  none: 'none',
} as const;

function floorsLine(floors: Floors): string {
  if (floors.source === 'none') {
    return 'margin floors  none: this router, profile and suite are uncalibrated';
  }
  return `margin floors  slot ${floors.agent ?? 'none'}, role ${floors.role ?? 'none'} (${sourceWords[floors.source]})`;
}
