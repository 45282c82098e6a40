import { roleNameOf } from '../../../../contracts/roles.ts';
import type { AccuracyPoint, ConfusionMatrix, EvalAnalysis } from '../../../evals/analysis.ts';
import type { ComparedSides } from '../../../evals/compared-sides.ts';
import { invariantWords, type CaseComparison, type Comparison } from '../../../evals/comparison.ts';
import { verdictWords } from '../../../evals/reports/comparison-html.ts';
import { paint, type TerminalStyle } from '../style.ts';
import { plainLine } from './plain-line.ts';

/** A case that differs, in one line: what broke, margin changes, drift. */
export function caseComparisonLine(comparison: CaseComparison): string {
  const { id, kind, broken, left, right, agentMarginChange, roleMarginChange, drift } = comparison;
  const parts = [`${plainLine(id)}  ${kind.replaceAll('_', ' ')}`];
  if (left !== null && right !== null) {
    if (broken === 'agent') parts.push(`slot ${left.agentId} became ${right.agentId}`);
    else if (broken === 'role')
      parts.push(`${roleNameOf(left.roleId)} became ${roleNameOf(right.roleId)}`);
    else if (broken === 'token_count')
      parts.push(`${left.tokenCount} tokens became ${right.tokenCount}`);
    else if (broken === 'logit_count') {
      const count = ({ agentLogits, roleLogits }: typeof left): string =>
        `${agentLogits.length} + ${roleLogits.length}`;
      parts.push(`the number of logits ${count(left)} became ${count(right)}`);
    } else if (broken !== null) parts.push(`another ${invariantWords[broken]}`);
  }
  if (agentMarginChange !== null && roleMarginChange !== null) {
    parts.push(`margins ${signed(agentMarginChange)}, ${signed(roleMarginChange)}`);
  }
  if (drift !== null)
    parts.push(`drift max ${drift.max.toPrecision(4)}, rms ${drift.rms.toPrecision(4)}`);
  return parts.join('; ');
}

function signed(change: number): string {
  return `${change < 0 ? '' : '+'}${change.toFixed(4)}`;
}

/** The verdict of a comparison, its counts and drift. */
export function comparisonLines(result: Comparison, style: TerminalStyle): string[] {
  const colour = result.verdict === 'broken' ? 'red' : 'green';
  const first = result.firstBroken;
  return [
    paint(style, colour, verdictWords[result.verdict]),
    ...(first === null
      ? []
      : [`first broken: ${invariantWords[first.invariant]}, case ${plainLine(first.caseId)}`]),
    `${result.compared} compared: ${result.same} same, ${result.flipped} flipped, ` +
      `${result.mismatched} of another transcript, length or number of logits; ` +
      `${result.missingLeft} missing left, ${result.missingRight} missing right`,
    `logit drift  max ${result.maxDrift.toPrecision(4)}, rms ${result.rmsDrift.toPrecision(4)} ` +
      `of ${result.rmsLogit.toPrecision(4)}`,
  ];
}

/** Accuracy of both sides by tag and against the margin, and how the sides' choices meet. */
export function sidesLines(sides: ComparedSides): string[] {
  return [
    ...matrixLines('slots, left (rows) against right', sides.agents, String),
    ...matrixLines('roles, left (rows) against right', sides.roles, roleNameOf),
    ...analysisLines('left', sides.left),
    ...analysisLines('right', sides.right),
  ];
}

function analysisLines(side: string, analysis: EvalAnalysis): string[] {
  const { tags, agentConfusion, roleConfusion } = analysis;
  return [
    ...tags.map(
      ({ tag, right, asserted }) =>
        `${side}  right in tag ${plainLine(tag)}: ${right} of ${asserted}`,
    ),
    ...matrixLines(`${side}  slots, expected (rows) against chosen`, agentConfusion, String),
    ...matrixLines(`${side}  roles, expected (rows) against chosen`, roleConfusion, roleNameOf),
    ...curveLine(`${side}  slots right by margin`, analysis.agentAccuracyByMargin),
    ...curveLine(`${side}  roles right by margin`, analysis.roleAccuracyByMargin),
  ];
}

function matrixLines(
  title: string,
  matrix: ConfusionMatrix,
  nameOf: (id: number) => string,
): string[] {
  const rows = Object.entries(matrix);
  if (rows.length === 0) return [];
  return [
    title,
    ...rows.map(([row, cells]) => {
      const counts = Object.entries(cells).map(([id, count]) => `${nameOf(Number(id))}: ${count}`);
      return `  ${nameOf(Number(row))}  ${counts.join(', ')}`;
    }),
  ];
}

const shownPoints = 5;

/** A few points of a curve, from the surest cases to all of them. */
function curveLine(title: string, points: readonly AccuracyPoint[]): string[] {
  if (points.length === 0) return [];
  const count = Math.min(shownPoints, points.length);
  const shown = Array.from({ length: count }, (_, index) => {
    const at = count === 1 ? 0 : Math.round((index * (points.length - 1)) / (count - 1));
    return points[at]!;
  });
  const words = shown.map(
    ({ margin, accuracy }) => `${(accuracy * 100).toFixed(0)} % from ${margin.toFixed(2)}`,
  );
  return [`${title}: ${words.join(', ')}`];
}
