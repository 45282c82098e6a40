import { open } from 'node:fs/promises';
import { canonicalJson } from '../../contracts/canonical-json.ts';
import type { EvalHeader } from '../../contracts/evals.ts';
import { isSamePrecision } from '../../contracts/profiles.ts';
import { EvalError } from './eval-error.ts';
import { scanResults, type CaseLine, type ResumePoint } from './results-file.ts';

/** How every results file begins. */
const opening = '{"type":"header","format":"trinity-eval"';

/**
 * Reads a results file up to where an evaluation can go on.
 *
 * @returns null when there is no file
 * @throws EvalError `results_unreadable` for a file that is none of ours, which stays as it is;
 *   `results_mismatch` naming the member of the header that differs
 */
export async function findResumePoint(
  path: string,
  header: EvalHeader,
): Promise<ResumePoint | null> {
  const start = await firstCharacters(path);
  if (start === null) return null;
  if (!opening.startsWith(start) && !start.startsWith(opening)) {
    throw new EvalError('results_unreadable', `${path} is no results file; it was left as it is.`);
  }
  const done = new Map<string, CaseLine>();
  let goodBytes = 0;
  for await (const { line, end } of scanResults(path)) {
    if (line.type === 'header') requireSameRun(path, line, header);
    // Two processes that wrote at once may have left a case twice.
    else if (line.type === 'summary' || done.has(line.id)) break;
    else done.set(line.id, line);
    goodBytes = end;
  }
  return { goodBytes, hasHeader: goodBytes > 0, done: [...done.values()] };
}

async function firstCharacters(path: string): Promise<string | null> {
  try {
    const file = await open(path, 'r');
    try {
      const bytes = Buffer.alloc(opening.length);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      return bytes.toString('latin1', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new EvalError('results_unreadable', `${path} could not be read.`, { cause });
  }
}

const identity = ['suiteHash', 'adapterRef', 'profile', 'graphVersion', 'caseCount'] as const;

function requireSameRun(path: string, stored: EvalHeader, wanted: EvalHeader): void {
  const refuse = (member: string, before: unknown, now: unknown): never => {
    throw new EvalError(
      'results_mismatch',
      `${path} was made with another ${member} (${shown(before)}, now ${shown(now)}).`,
    );
  };
  for (const member of identity) {
    if (stored[member] !== wanted[member]) refuse(member, stored[member], wanted[member]);
  }
  if (!isSamePrecision(stored.precision, wanted.precision)) {
    refuse('precision', stored.precision ?? null, wanted.precision ?? null);
  }
  if (stored.asked === undefined || wanted.asked === undefined) return;
  for (const member of Object.keys(wanted.asked) as (keyof typeof wanted.asked)[]) {
    const [before, now] = [stored.asked[member], wanted.asked[member]];
    if (canonicalJson(before) !== canonicalJson(now)) refuse(member, before, now);
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
