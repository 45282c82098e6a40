import type { EvalHeader, EvalSummary } from '../../../contracts/evals.ts';
import { roleNameOf } from '../../../contracts/roles.ts';
import type { ConfusionMatrix, EvalAnalysis, HistogramBin } from '../analysis.ts';
import type { CaseLine } from '../results-file.ts';
import { escapeMarkup as text } from './escape.ts';
import { reportStyle } from './html-style.ts';

export interface HtmlReportOptions {
  readonly header: EvalHeader;
  readonly lines: readonly CaseLine[];
  readonly summary: EvalSummary;
  readonly analysis: EvalAnalysis;
  /** Labels of the slots, by index. */
  readonly agentLabels: readonly string[];
  readonly floors: { readonly agent: number | null; readonly role: number | null; readonly source: string };
}

/** One self-contained HTML file: no script, no request to anywhere, light and dark. */
export function htmlReport(options: HtmlReportOptions): string {
  const { header, summary } = options;
  const title = `${header.suiteName} on ${header.profile}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${reportStyle}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
<p class="totals">${totals(summary)}</p>
${identityTable(options)}
<h2>Choices</h2>
<div class="columns">
${choices('Slots', summary.agents, (id) => slotName(id, options.agentLabels))}
${choices('Roles', summary.roles, (id) => roleNameOf(id))}
</div>
<h2>Margins</h2>
<div class="columns">
${histogramTable('Agent margins', options.analysis.agentMargins)}
${histogramTable('Role margins', options.analysis.roleMargins)}
</div>
${tagTable(options.analysis)}
${confusionTable('Slots: expected against chosen', options.analysis.agentConfusion, (id) => slotName(id, options.agentLabels))}
${confusionTable('Roles: expected against chosen', options.analysis.roleConfusion, (id) => roleNameOf(id))}
<h2>Cases</h2>
${caseTable(options)}
</main>
</body>
</html>
`;
}

function totals(summary: EvalSummary): string {
  return [
    `${summary.passed} passed`,
    `${summary.failed} failed`,
    `${summary.reported} reported`,
    `${summary.errors} errors`,
  ].join(', ');
}

function slotName(id: number, labels: readonly string[]): string {
  return labels[id] === undefined ? `slot ${id}` : `${id} ${labels[id]}`;
}

function identityTable({ header, floors }: HtmlReportOptions): string {
  const rows: [string, string][] = [
    ['Suite', `${header.caseCount} cases, ${header.suiteHash}`],
    ['Router', header.adapterRef],
    ['Profile', `${header.profile}, graph version ${header.graphVersion}`],
    ['Margin floors', floorsText(floors)],
    ['Machine', `${header.machine.cpu}, ${header.machine.cores} cores, ${header.machine.platform} ${header.machine.arch}`],
    ['Started', new Date(header.startedAt).toISOString()],
  ];
  const body = rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${text(value)}</td></tr>`);
  return `<table>${body.join('\n')}</table>`;
}

function floorsText(floors: HtmlReportOptions['floors']): string {
  if (floors.source === 'none') return 'none: this router, profile and suite are uncalibrated';
  return `slot ${floors.agent ?? 'none'}, role ${floors.role ?? 'none'} (${floors.source})`;
}

function choices(
  caption: string,
  counts: Readonly<Record<string, number>>,
  nameOf: (id: number) => string,
): string {
  const most = Math.max(1, ...Object.values(counts));
  const rows = Object.entries(counts).map(
    ([id, count]) => `<tr><th scope="row">${text(nameOf(Number(id)))}</th>${bar(count, most)}</tr>`,
  );
  return `<table><caption>${caption}</caption>${rows.join('\n')}</table>`;
}

function histogramTable(caption: string, bins: readonly HistogramBin[]): string {
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const rows = bins.map(
    (bin) =>
      `<tr><th scope="row">${bin.from.toFixed(2)} to ${bin.to.toFixed(2)}</th>${bar(bin.count, most)}</tr>`,
  );
  return `<table><caption>${caption}</caption>${rows.join('\n')}</table>`;
}

function bar(count: number, most: number): string {
  return `<td class="number">${count}</td><td class="bar"><meter min="0" max="${most}" value="${count}">${count}</meter></td>`;
}

function tagTable({ tags }: EvalAnalysis): string {
  if (tags.length === 0) return '';
  const rows = tags.map(
    (tag) =>
      `<tr><th scope="row">${text(tag.tag)}</th><td class="number">${tag.right} of ${tag.asserted}</td></tr>`,
  );
  return `<h2>Accuracy by tag</h2><table>${rows.join('\n')}</table>`;
}

function confusionTable(
  caption: string,
  matrix: ConfusionMatrix,
  nameOf: (id: number) => string,
): string {
  if (matrix.size === 0) return '';
  const expected = [...matrix.keys()].sort((a, b) => a - b);
  const chosen = [...new Set([...matrix.values()].flatMap((row) => [...row.keys()]))].sort((a, b) => a - b);
  const head = chosen.map((id) => `<th scope="col">${text(nameOf(id))}</th>`).join('');
  const rows = expected.map((id) => {
    const cells = chosen.map((column) => {
      const count = matrix.get(id)?.get(column) ?? 0;
      return `<td class="number${column === id ? ' right' : ''}">${count}</td>`;
    });
    return `<tr><th scope="row">${text(nameOf(id))}</th>${cells.join('')}</tr>`;
  });
  return `<h2>${caption}</h2><div class="scroll"><table><tr><td></td>${head}</tr>${rows.join('\n')}</table></div>`;
}

function caseTable({ lines, agentLabels }: HtmlReportOptions): string {
  const rows = lines.map((line) => {
    if (line.type === 'case_error') {
      return `<tr class="failed"><th scope="row">${text(line.id)}</th><td>error</td><td colspan="5">${text(line.message)}</td></tr>`;
    }
    const cells = [
      text(slotName(line.agentId, agentLabels)),
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
