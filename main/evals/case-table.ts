import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse';
import type { Diagnostic } from './case-parser.ts';

/** Bytes of one row. */
const maxRowBytes = 4 * 2 ** 20;

/** A row as a loose case, or what is wrong with it. */
export type TableRow =
  | { readonly value: Readonly<Record<string, unknown>>; readonly line: number }
  | Omit<Diagnostic, 'file'>;

/**
 * Cases of a CSV file with the columns `id`, `prompt` or `messages` (JSON), and optionally
 * `expected_agent`, `expected_role` (several with `|`), `tags` (with `;`) and `notes`. The first row names
 * the columns; the delimiter is a comma, a semicolon or a tab, whichever the first row uses.
 */
export async function* readCaseTable(file: string): AsyncGenerator<TableRow> {
  const parser = createReadStream(file).pipe(
    parse({
      bom: true,
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      delimiter: await delimiterOf(file),
      info: true,
      max_record_size: maxRowBytes,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      comment: '#',
      comment_no_infix: true,
    }),
  );
  const skipped: Omit<Diagnostic, 'file'>[] = [];
  parser.on('skip', (error: CsvError) => {
    skipped.push({
      line: typeof error['lines'] === 'number' ? error['lines'] : null,
      caseId: null,
      code: 'bad_table',
      message: error.message,
    });
  });
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: Record<string, string>;
      info: { lines: number };
    }>) {
      yield* skipped.splice(0);
      yield rowOf(record, info.lines);
    }
  } catch (error) {
    // A quote that never closes ends the table; the rows before it stand.
    if (!(error instanceof CsvError)) throw error;
    skipped.push({ line: null, caseId: null, code: 'bad_table', message: error.message });
  }
  yield* skipped;
}

const delimiters = [',', ';', '\t'] as const;
const headerBytes = 64 * 1024;

/** The delimiter that occurs most often in the first row; a comma where none does. */
async function delimiterOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(headerBytes);
    const { bytesRead } = await handle.read(bytes, 0, headerBytes, 0);
    const [firstRow = ''] = bytes.toString('utf8', 0, bytesRead).split('\n', 1);
    const counts = delimiters.map((delimiter) => firstRow.split(delimiter).length);
    return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
  } finally {
    await handle.close();
  }
}

function rowOf(record: Readonly<Record<string, string>>, line: number): TableRow {
  const cell = (name: string): string | undefined => {
    const text = record[name];
    return text === undefined || text.trim() === '' ? undefined : text;
  };
  let messages: unknown;
  try {
    const text = cell('messages');
    messages = text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    return {
      line,
      caseId: cell('id') ?? null,
      code: 'bad_json',
      message: `the column "messages" is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  return {
    line,
    value: {
      id: cell('id'),
      prompt: cell('prompt'),
      messages,
      expected: { agent: numbers(cell('expected_agent')), role: parts(cell('expected_role'), '|') },
      tags: parts(cell('tags'), ';') ?? [],
      notes: cell('notes'),
    },
  };
}

function parts(text: string | undefined, separator: string): string[] | undefined {
  return text
    ?.split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function numbers(text: string | undefined): number[] | undefined {
  return parts(text, '|')?.map(Number);
}
