import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { canonicalJson } from '../../contracts/canonical-json.ts';
import type { EvalCase } from '../../contracts/evals.ts';
import type { TextHash } from '../../contracts/hashes.ts';
import { parseCase, type Diagnostic, type ParsedCase } from './case-parser.ts';
import { readCaseTable } from './case-table.ts';
import { EvalError } from './eval-error.ts';
import { readLines } from './line-reader.ts';

/** Bytes of one JSONL line, and of a whole JSON document. */
export const maxLineBytes = 4 * 2 ** 20;
const maxDocumentBytes = 256 * 2 ** 20;

export type SuiteItem =
  | {
      readonly kind: 'case';
      readonly case: EvalCase;
      readonly file: string;
      readonly line: number | null;
    }
  | { readonly kind: 'diagnostic'; readonly diagnostic: Diagnostic };

/** What one pass over a suite found. */
export interface SuiteReport {
  readonly name: string;
  readonly caseCount: number;
  /** Over the canonical JSON of the good cases, in order. */
  readonly suiteHash: TextHash;
  readonly diagnostics: readonly Diagnostic[];
  /** Diagnostics beyond those kept. */
  readonly moreDiagnostics: number;
}

/** Diagnostics of one suite that are kept in memory. */
export const keptDiagnostics = 1000;

/**
 * Cases and diagnostics of a suite in order, streamed: memory does not grow with the file, save for the
 * ids that are kept to notice duplicates. Formats by name: `.jsonl`/`.ndjson`, `.json` (a list, or an
 * object with `cases`, upstream's file included), `.csv`, or a folder of such files and of `.txt`/`.md`
 * prompts.
 *
 * @throws EvalError `suite_not_found`, `suite_unreadable`
 */
export async function* scanSuite(path: string): AsyncGenerator<SuiteItem> {
  const seen = new Set<string>();
  for await (const item of scanPath(path)) {
    if (item.kind === 'case') {
      if (seen.has(item.case.id)) {
        yield {
          kind: 'diagnostic',
          diagnostic: {
            line: item.line,
            file: item.file,
            caseId: item.case.id,
            code: 'duplicate_id',
            message: `case id "${item.case.id}" was used before; the first one runs`,
          },
        };
        continue;
      }
      seen.add(item.case.id);
    }
    yield item;
  }
}

/** A suite in memory. */
export interface WholeSuite {
  readonly cases: readonly EvalCase[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a small suite whole, such as the reference: its good cases, and everything that was passed over.
 *
 * @throws EvalError `suite_not_found`, `suite_unreadable`
 */
export async function readSuite(path: string): Promise<WholeSuite> {
  const cases: EvalCase[] = [];
  const diagnostics: Diagnostic[] = [];
  for await (const item of scanSuite(path)) {
    if (item.kind === 'case') cases.push(item.case);
    else diagnostics.push(item.diagnostic);
  }
  return { cases, diagnostics };
}

/** Validates a suite in one pass: its hash, its number of cases, and what is wrong with it. */
export async function inspectSuite(path: string): Promise<SuiteReport> {
  const hash = createHash('sha256');
  const diagnostics: Diagnostic[] = [];
  let caseCount = 0;
  let moreDiagnostics = 0;
  for await (const item of scanSuite(path)) {
    if (item.kind === 'case') {
      caseCount += 1;
      hash.update(canonicalJson(item.case)).update('\n');
    } else if (diagnostics.length < keptDiagnostics) diagnostics.push(item.diagnostic);
    else moreDiagnostics += 1;
  }
  return {
    name: basename(path),
    caseCount,
    suiteHash: `v1:${hash.digest('hex')}`,
    diagnostics,
    moreDiagnostics,
  };
}

async function* scanPath(path: string): AsyncGenerator<SuiteItem> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new EvalError('suite_not_found', `There is no suite at ${path}.`, { cause });
  });
  if (found.isDirectory()) yield* scanFolder(path);
  else yield* scanFile(path);
}

const casesExtensions: readonly string[] = ['.json', '.jsonl', '.ndjson', '.csv'];
const promptExtensions: readonly string[] = ['.txt', '.md'];

/** A file of a folder that cannot be read is a diagnostic: the others still run. */
async function* scanFolder(folder: string): AsyncGenerator<SuiteItem> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  for (const name of names.sort()) {
    const file = join(folder, name);
    const extension = extname(name).toLowerCase();
    try {
      if (promptExtensions.includes(extension)) {
        const prompt = await readDocument(file);
        yield itemOf(parseCase({ id: basename(name, extname(name)), prompt }), file, null);
      } else if (casesExtensions.includes(extension)) yield* scanFile(file);
    } catch (error) {
      if (!(error instanceof EvalError)) throw error;
      const { message } = error;
      const code = 'unreadable_file';
      yield { kind: 'diagnostic', diagnostic: { line: null, file, caseId: null, code, message } };
    }
  }
}

async function* scanFile(file: string): AsyncGenerator<SuiteItem> {
  const extension = extname(file).toLowerCase();
  try {
    await requireRegular(file);
    if (extension === '.csv') {
      for await (const row of readCaseTable(file)) {
        if ('code' in row) yield { kind: 'diagnostic', diagnostic: { ...row, file } };
        else yield itemOf(parseCase(row.value), file, row.line);
      }
    } else if (extension === '.jsonl' || extension === '.ndjson') yield* scanJsonLines(file);
    else yield* scanDocument(file);
  } catch (cause) {
    throw cause instanceof EvalError ? cause : unreadable(file, cause);
  }
}

async function* scanJsonLines(file: string): AsyncGenerator<SuiteItem> {
  for await (const line of readLines(file, maxLineBytes)) {
    const problem = (code: Diagnostic['code'], message: string): SuiteItem => ({
      kind: 'diagnostic',
      diagnostic: { line: line.number, file, caseId: null, code, message },
    });
    if (line.text === null) {
      yield problem('line_too_long', `the line has ${line.bytes} bytes; ${maxLineBytes} are read`);
      continue;
    }
    const text = line.text.trim();
    if (text === '' || text.startsWith('#') || text.startsWith('//')) continue;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      const isTorn = !line.isTerminated;
      yield problem(
        isTorn ? 'torn_last_line' : 'bad_json',
        isTorn ? 'the last line breaks off' : `no JSON: ${plainReason(error)}`,
      );
      continue;
    }
    yield itemOf(parseCase(value), file, line.number);
  }
}

async function* scanDocument(file: string): AsyncGenerator<SuiteItem> {
  const text = await readDocument(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new EvalError('suite_unreadable', `${file} is no JSON: ${plainReason(error)}`, {
      cause: error,
    });
  }
  const cases =
    typeof value === 'object' && value !== null && 'cases' in value ? value.cases : value;
  if (!Array.isArray(cases)) {
    throw new EvalError(
      'suite_unreadable',
      `${file} holds neither a list of cases nor an object with "cases".`,
    );
  }
  for (const [index, value] of cases.entries()) {
    yield itemOf(withPlace(parseCase(value), index), file, null);
  }
}

/** A document has no lines to name; the place in its list stands in for them. */
function withPlace(parsed: ParsedCase, index: number): ParsedCase {
  return parsed.ok ? parsed : { ...parsed, message: `case ${index + 1}: ${parsed.message}` };
}

function itemOf(parsed: ParsedCase, file: string, line: number | null): SuiteItem {
  if (parsed.ok) return { kind: 'case', case: parsed.value, file, line };
  const { code, caseId, message } = parsed;
  return { kind: 'diagnostic', diagnostic: { line, file, caseId, code, message } };
}

async function readDocument(file: string): Promise<string> {
  const bytes = await requireRegular(file);
  if (bytes > maxDocumentBytes) {
    throw new EvalError(
      'suite_unreadable',
      `${file} has ${bytes} bytes; a JSON document may have ${maxDocumentBytes}. Use JSON lines.`,
    );
  }
  try {
    const text = await readFile(file, 'utf8');
    return text.startsWith('\ufeff') ? text.slice(1) : text;
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** A suite is read several times, which a pipe or a device does not allow. Gives the file's bytes. */
async function requireRegular(file: string): Promise<number> {
  const found = await stat(file).catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  if (!found.isFile()) {
    throw new EvalError('suite_unreadable', `${file} is no regular file.`);
  }
  return found.size;
}

function unreadable(path: string, cause: unknown): EvalError {
  return new EvalError('suite_unreadable', `${path} could not be read: ${messageOf(cause)}`, {
    cause,
  });
}

/** What a JSON parser says, without the excerpt of the file that it quotes. */
function plainReason(error: unknown): string {
  return messageOf(error).replace(/, (\.{3})?"[^]*"(\.{3})? is not valid JSON$/, '');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
