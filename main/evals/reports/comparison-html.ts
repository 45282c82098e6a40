import type { ComparedSides } from '../compared-sides.ts';
import { invariantWords, type CaseComparison, type Comparison } from '../comparison.ts';
import type { ResultSource } from '../result-source.ts';
import { roleNameOf } from '../../../contracts/roles.ts';
import { escapeMarkup as text } from './escape.ts';
import { htmlPage } from './html-page.ts';
import { analysisSections, confusionTable, factsTable, slotNames } from './tables.ts';

export interface ComparisonReportOptions {
  readonly left: ResultSource;
  readonly right: ResultSource;
  readonly result: Comparison;
  readonly sides: ComparedSides;
  /** Cases that differ, or that one side lacks; `moreCases` of them are not listed. */
  readonly differing: readonly CaseComparison[];
  readonly moreCases: number;
}

/** What each verdict of a comparison is called. */
export const verdictWords = {
  identical: 'identical',
  stable: 'decision-stable with drift',
  broken: 'broken',
} as const;

/** The report of a comparison as one self-contained HTML file. */
export function comparisonReport(options: ComparisonReportOptions): string {
  const { left, right, result, sides } = options;
  const slotName = slotNames([]);
  return htmlPage(
    'Comparison of two evaluations',
    `<p class="totals">${text(verdictWords[result.verdict])}</p>
${factsTable([
  ['Left', sourceWords(left)],
  ['Right', sourceWords(right)],
  ['First broken', brokenWords(result)],
  ['Compared', `${result.compared}: ${result.same} same, ${result.flipped} flipped, ${result.mismatched} of another transcript, length or number of logits`],
  ['Missing', `${result.missingLeft} left, ${result.missingRight} right`],
  ['Logit drift', `max ${result.maxDrift.toPrecision(4)}, rms ${result.rmsDrift.toPrecision(4)} of ${result.rmsLogit.toPrecision(4)}`],
])}
${confusionTable('Slots: left against right', sides.agents, slotName)}
${confusionTable('Roles: left against right', sides.roles, roleNameOf)}
<h2>Left</h2>
${analysisSections(sides.left, slotName)}
<h2>Right</h2>
${analysisSections(sides.right, slotName)}
<h2>Cases that differ</h2>
${differingTable(options)}`,
  );
}

/** Which evaluation a file holds, and whether it is whole. */
export function sourceWords({ path, header, isComplete }: ResultSource): string {
  if (header === null) return `${path}, a snapshot`;
  const { suiteName, profile, adapterRef } = header;
  const identity = `${suiteName} on ${profile}, router ${adapterRef.slice(0, 12)}`;
  return `${path}, ${identity}${isComplete ? '' : ', not finished'}`;
}

function brokenWords({ firstBroken }: Comparison): string {
  return firstBroken === null ? 'nothing' : `${invariantWords[firstBroken.invariant]}, case ${firstBroken.caseId}`;
}

function differingTable({ differing, moreCases }: ComparisonReportOptions): string {
  if (differing.length === 0) return '<p>None.</p>';
  const number = (value: number | null | undefined): string =>
    value === null || value === undefined ? '' : value.toFixed(4);
  const rows = differing.map(({ id, kind, broken, agentMarginChange, roleMarginChange, drift }) => {
    const cells = [
      kind.replaceAll('_', ' '),
      broken === null ? '' : invariantWords[broken],
      number(agentMarginChange),
      number(roleMarginChange),
      number(drift?.max),
      number(drift?.rms),
    ];
    return `<tr><th scope="row">${text(id)}</th>${cells.map((cell) => `<td>${text(cell)}</td>`).join('')}</tr>`;
  });
  const head = ['Case', 'Kind', 'Broken', 'Agent margin', 'Role margin', 'Max drift', 'Rms drift'];
  const more = moreCases === 0 ? '' : `<p>and ${moreCases} more</p>`;
  return `<div class="scroll"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>${more}`;
}
