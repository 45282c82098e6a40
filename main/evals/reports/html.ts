import type { EvalHeader, EvalSummary } from '../../../contracts/evals.ts';
import { roleNameOf } from '../../../contracts/roles.ts';
import type { EvalAnalysis } from '../analysis.ts';
import type { Floors } from '../judgement.ts';
import type { CaseLine } from '../results-file.ts';
import { escapeMarkup as text } from './escape.ts';
import { htmlPage } from './html-page.ts';
import { analysisSections, countsTable, factsTable, slotNames, type NameOf } from './tables.ts';

export interface HtmlReportOptions {
  readonly header: EvalHeader;
  readonly lines: readonly CaseLine[];
  readonly summary: EvalSummary;
  readonly analysis: EvalAnalysis;
  /** Labels of the slots, by index. */
  readonly agentLabels: readonly string[];
  readonly floors: Floors;
}

/** The report of one evaluation as one self-contained HTML file. */
export function htmlReport(options: HtmlReportOptions): string {
  const { header, summary } = options;
  const slotName = slotNames(options.agentLabels);
  return htmlPage(
    `${header.suiteName} on ${header.profile}`,
    `<p class="totals">${totals(summary)}</p>
${factsTable(headerFacts(header, options.floors))}
<h2>Choices</h2>
<div class="columns">
${countsTable('Slots', named(summary.agents, slotName))}
${countsTable('Roles', named(summary.roles, roleNameOf))}
</div>
${analysisSections(options.analysis, slotName)}
<h2>Cases</h2>
${caseTable(options.lines, slotName)}`,
  );
}

function named(counts: Readonly<Record<string, number>>, nameOf: NameOf): [string, number][] {
  return Object.entries(counts).map(([id, count]) => [nameOf(Number(id)), count]);
}

function totals({ passed, failed, reported, errors }: EvalSummary): string {
  return `${passed} passed, ${failed} failed, ${reported} reported, ${errors} errors`;
}

function headerFacts(header: EvalHeader, floors: Floors): (readonly [string, string])[] {
  const { machine } = header;
  return [
    ['Suite', `${header.caseCount} cases, ${header.suiteHash}`],
    ['Router', header.adapterRef],
    ['Profile', `${header.profile}, graph version ${header.graphVersion}`],
    ['Margin floors', floorsText(floors)],
    ['Snapshot', header.asked?.snapshotHash ?? 'none'],
    ['Machine', `${machine.cpu}, ${machine.cores} cores, ${machine.platform} ${machine.arch}`],
    ['Started', new Date(header.startedAt).toISOString()],
  ];
}

function floorsText({ agent, role, source }: Floors): string {
  if (source === 'none') return 'none: this router, profile and suite are uncalibrated';
  return `slot ${agent ?? 'none'}, role ${role ?? 'none'} (${source.replaceAll('_', ' ')})`;
}

function caseTable(lines: readonly CaseLine[], slotName: NameOf): string {
  const rows = lines.map((line) => {
    if (line.type === 'case_error') {
      return `<tr class="failed"><th scope="row">${text(line.id)}</th><td>error</td><td colspan="5">${text(line.message)}</td></tr>`;
    }
    const cells = [
      text(slotName(line.agentId)),
      text(roleNameOf(line.roleId)),
      (line.agentMargin ?? 0).toFixed(4),
      (line.roleMargin ?? 0).toFixed(4),
      String(line.tokenCount),
    ];
    const status = line.failures.length === 0 ? line.status : line.failures.join(', ');
    return `<tr class="${line.status}"><th scope="row">${text(line.id)}</th><td>${text(status)}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const head = ['Case', 'Result', 'Slot', 'Role', 'Agent margin', 'Role margin', 'Tokens'];
  return `<div class="scroll"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}
