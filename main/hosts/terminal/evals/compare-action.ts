import { resolve } from 'node:path';
import { SidesFold } from '../../../evals/compared-sides.ts';
import { compareCases, ComparisonFold, type CaseComparison } from '../../../evals/comparison.ts';
import { comparisonReport, sourceWords } from '../../../evals/reports/comparison-html.ts';
import { openResults, type ResultSource } from '../../../evals/result-source.ts';
import { CommandFailed, type TerminalContext } from '../context.ts';
import { styleOf } from '../style.ts';
import { caseComparisonLine, comparisonLines, sidesLines } from './compare-output.ts';
import { plainLine } from './plain-line.ts';
import { requireWritable, writeReport } from './report-file.ts';

export interface CompareOptions {
  readonly json?: boolean;
  readonly html?: string;
}

/** Cases that the HTML report lists; a file of a gigabyte may differ in each of its cases. */
const listedCases = 10_000;

/** `trinity eval compare`: fails with exit code 1 when an invariant broke. */
export async function compareAction(
  context: TerminalContext,
  leftPath: string,
  rightPath: string,
  options: CompareOptions,
): Promise<void> {
  const paths = [resolve(context.cwd, leftPath), resolve(context.cwd, rightPath)] as const;
  const html = options.html === undefined ? null : resolve(context.cwd, options.html);
  if (html !== null) await requireWritable(html, paths);
  const left = await openResults(paths[0]);
  try {
    const right = await openResults(paths[1]);
    try {
      await compare(context, left, right, { isJson: options.json === true, html });
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

async function compare(
  context: TerminalContext,
  left: ResultSource,
  right: ResultSource,
  { isJson, html }: { readonly isJson: boolean; readonly html: string | null },
): Promise<void> {
  if (isEmpty(left) && isEmpty(right)) {
    throw new CommandFailed('neither side holds a routed case yet');
  }
  const write = (text: string): void => void context.stdout.write(text);
  const fold = new ComparisonFold();
  const sides = new SidesFold();
  const differing: CaseComparison[] = [];
  let differingCount = 0;
  let position = 0;
  if (isJson)
    write(
      `{"format":"trinity-comparison","left":${sourceJson(left)},"right":${sourceJson(right)},"cases":[`,
    );
  else for (const source of [left, right]) write(`${plainLine(sourceWords(source))}\n`);
  for await (const comparison of compareCases(left, right)) {
    context.signal.throwIfAborted();
    fold.add(comparison);
    sides.add(comparison);
    // Cases go out one by one, so that a comparison of any size fits into memory.
    if (isJson) write(`${position === 0 ? '' : ','}\n${caseJson(comparison)}`);
    position += 1;
    if (comparison.kind === 'same' && (comparison.drift?.max ?? 0) === 0) continue;
    if (!isJson) write(`${caseComparisonLine(comparison)}\n`);
    differingCount += 1;
    if (html !== null && differing.length < listedCases) differing.push(comparison);
  }
  const result = fold.result();
  const compared = sides.result();
  if (isJson) {
    write(`],\n"result":${JSON.stringify(result)},"analysis":${JSON.stringify(compared)}}\n`);
  } else {
    const style = styleOf(context.stdout, context.env);
    write(`${[...sidesLines(compared), '', ...comparisonLines(result, style)].join('\n')}\n`);
  }
  if (html !== null) {
    const moreCases = differingCount - differing.length;
    await writeReport(
      html,
      comparisonReport({ left, right, result, sides: compared, differing, moreCases }),
    );
  }
  if (result.verdict === 'broken') throw new CommandFailed('');
}

function isEmpty(source: ResultSource): boolean {
  for (const _id of source.ids()) return false;
  return true;
}

function sourceJson({ path, header, isComplete }: ResultSource): string {
  return JSON.stringify({ path, header, isComplete });
}

function caseJson({ left, right, ...comparison }: CaseComparison): string {
  const choice = (side: typeof left): object | null =>
    side === null
      ? null
      : {
          agentId: side.agentId,
          roleId: side.roleId,
          agentMargin: side.agentMargin,
          roleMargin: side.roleMargin,
          tokenCount: side.tokenCount,
        };
  return JSON.stringify({ ...comparison, left: choice(left), right: choice(right) });
}
