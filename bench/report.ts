import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBroken, type BenchBar, type BenchReport, type BenchRow } from './lane.ts';

/** Rows and bars as Markdown tables, as `docs/bench.md` keeps them. */
export function reportMarkdown(lane: string, { rows, bars }: BenchReport): string {
  const barRows = bars.map((bar) => [
    bar.name,
    shown(bar.value),
    `<= ${shown(bar.limit)}`,
    verdict(bar),
  ]);
  return [
    `### ${lane}`,
    ...groups(rows).map((group) => table(['', ...columnsOf(group)], cellsOf(group))),
    ...(bars.length === 0 ? [] : [table(['bar', 'measured', 'limit', ''], barRows)]),
  ].join('\n\n');
}

/** Appends a section to `docs/bench.md`. */
export function recordInDocs(projectRoot: string, section: string): void {
  const path = join(projectRoot, 'docs', 'bench.md');
  const about =
    '# Benchmarks\n\nRaw rows of `npm run bench -- --record` and `npm run bench:peers -- --record`, newest ' +
    'last. Ratios are medians of rounds in one run; milliseconds depend on the machine named.\n';
  if (!existsSync(path)) writeFileSync(path, about);
  appendFileSync(path, `\n${section}\n`);
}

/** Rows one after another that have the same columns. */
function groups(rows: readonly BenchRow[]): BenchRow[][] {
  const grouped: BenchRow[][] = [];
  for (const row of rows) {
    const last = grouped.at(-1);
    const isSame = last !== undefined && columnsOf(last).join() === columnsOf([row]).join();
    if (isSame) last.push(row);
    else grouped.push([row]);
  }
  return grouped;
}

function columnsOf(group: readonly BenchRow[]): string[] {
  return Object.keys(group[0]?.values ?? {});
}

function cellsOf(group: readonly BenchRow[]): string[][] {
  return group.map(({ name, values }) => [name, ...Object.values(values).map(shown)]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function verdict(bar: BenchBar): string {
  if (bar.waived !== null) return `not judged: ${bar.waived}`;
  return isBroken(bar) ? 'BROKEN' : 'holds';
}

function shown(value: number | string): string {
  if (typeof value === 'string') return value;
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
