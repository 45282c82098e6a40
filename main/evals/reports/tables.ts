import { roleNameOf } from '../../../contracts/roles.ts';
import type { AccuracyPoint, ConfusionMatrix, EvalAnalysis, HistogramBin } from '../analysis.ts';
import { escapeMarkup as text } from './escape.ts';

/** Names an id in a table. */
export type NameOf = (id: number) => string;

/** Names slots by index and label. */
export function slotNames(labels: readonly string[]): NameOf {
  return (id) => (labels[id] === undefined ? `slot ${id}` : `${id} ${labels[id]}`);
}

/** Margins, accuracy by tag, confusion and accuracy against margin of one evaluation, as HTML sections. */
export function analysisSections(analysis: EvalAnalysis, slotName: NameOf): string {
  return `<h2>Margins</h2>
<div class="columns">
${histogramTable('Agent margins', analysis.agentMargins)}
${histogramTable('Role margins', analysis.roleMargins)}
</div>
${curves(analysis)}
${tagTable(analysis)}
${confusionTable('Slots: expected against chosen', analysis.agentConfusion, slotName)}
${confusionTable('Roles: expected against chosen', analysis.roleConfusion, roleNameOf)}`;
}

/** Names and values, one row each. */
export function factsTable(rows: readonly (readonly [string, string])[]): string {
  const body = rows.map(
    ([name, value]) => `<tr><th scope="row">${text(name)}</th><td>${text(value)}</td></tr>`,
  );
  return `<table>${body.join('\n')}</table>`;
}

/** Counts with a bar each. */
export function countsTable(
  caption: string,
  counts: readonly (readonly [name: string, count: number])[],
): string {
  const most = Math.max(1, ...counts.map(([, value]) => value));
  const rows = counts.map(
    ([name, value]) =>
      `<tr><th scope="row">${text(name)}</th><td class="number">${value}</td>` +
      `<td class="bar"><meter min="0" max="${most}" value="${value}">${value}</meter></td></tr>`,
  );
  return `<table><caption>${text(caption)}</caption>${rows.join('\n')}</table>`;
}

/** A matrix of counts; the diagonal is marked. Nothing for an empty one. */
export function confusionTable(caption: string, matrix: ConfusionMatrix, nameOf: NameOf): string {
  const rowIds = sortedIds(matrix);
  if (rowIds.length === 0) return '';
  const columns = [...new Set(rowIds.flatMap((id) => sortedIds(matrix[id] ?? {})))].sort(
    (a, b) => a - b,
  );
  const head = columns.map((id) => `<th scope="col">${text(nameOf(id))}</th>`).join('');
  const rows = rowIds.map((id) => {
    const cells = columns.map((column) => {
      const isDiagonal = column === id;
      return `<td class="number${isDiagonal ? ' right' : ''}">${matrix[id]?.[column] ?? 0}</td>`;
    });
    return `<tr><th scope="row">${text(nameOf(id))}</th>${cells.join('')}</tr>`;
  });
  return `<h2>${text(caption)}</h2><div class="scroll"><table><tr><td></td>${head}</tr>${rows.join('\n')}</table></div>`;
}

function sortedIds(record: Readonly<Record<number, unknown>>): number[] {
  return Object.keys(record)
    .map(Number)
    .sort((a, b) => a - b);
}

function histogramTable(caption: string, bins: readonly HistogramBin[]): string {
  return countsTable(
    caption,
    bins.map(({ from, to, count }) => [`${from.toFixed(2)} to ${to.toFixed(2)}`, count] as const),
  );
}

function tagTable({ tags }: EvalAnalysis): string {
  if (tags.length === 0) return '';
  const rows = tags.map(
    ({ tag, right, asserted }) =>
      `<tr><th scope="row">${text(tag)}</th><td class="number">${right} of ${asserted}</td></tr>`,
  );
  return `<h2>Accuracy by tag</h2><table>${rows.join('\n')}</table>`;
}

function curves({ agentAccuracyByMargin, roleAccuracyByMargin }: EvalAnalysis): string {
  if (agentAccuracyByMargin.length + roleAccuracyByMargin.length === 0) return '';
  return `<h2>Accuracy against margin</h2>
<div class="columns">
${curve('Slots', agentAccuracyByMargin)}
${curve('Roles', roleAccuracyByMargin)}
</div>`;
}

const plot = { width: 320, height: 160 };

/** Accuracy (upwards, 0 to 1) of the cases whose margin is at least x. */
function curve(name: string, points: readonly AccuracyPoint[]): string {
  const last = points.at(-1);
  if (last === undefined) return '';
  const largest = points.reduce((most, { margin }) => Math.max(most, margin), 0);
  const line = points
    .map(({ margin, accuracy }) => {
      const x = largest === 0 ? 0 : (margin / largest) * plot.width;
      return `${x.toFixed(1)},${((1 - accuracy) * plot.height).toFixed(1)}`;
    })
    .join(' ');
  const words = `${name}: ${(last.accuracy * 100).toFixed(1)} % right over all, margins up to ${largest.toFixed(2)}`;
  return (
    `<figure><svg role="img" aria-label="${text(words)}" viewBox="0 0 ${plot.width} ${plot.height}" ` +
    `width="${plot.width}" height="${plot.height}"><polyline points="${line}"/></svg>` +
    `<figcaption>${text(words)}</figcaption></figure>`
  );
}
