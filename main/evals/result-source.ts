import { open, readFile, stat, type FileHandle } from 'node:fs/promises';
import { evalLineSchema, type EvalCaseResult, type EvalHeader } from '../../contracts/evals.ts';
import { contradictedMember } from './consistency.ts';
import { EvalError } from './eval-error.ts';
import { indexResults } from './results-index.ts';
import { readSnapshot, type SnapshotCase } from './snapshot.ts';

/** A case as far as two evaluations can be compared. */
export interface ComparableCase {
  readonly id: string;
  readonly agentId: number;
  readonly roleId: number;
  readonly agentLogits: readonly number[];
  readonly roleLogits: readonly number[];
  readonly agentMargin: number;
  readonly roleMargin: number;
  readonly tokenCount: number;
  readonly upstreamTranscriptHash: string;
  /** Empty in a snapshot, which expects nothing. */
  readonly expected: EvalCaseResult['expected'];
  readonly tags: readonly string[];
}

/**
 * One side of a comparison: cases in order, and by id. Only ids and byte ranges are held in memory, so a
 * results file of any size can be opened. `close` may be called twice.
 */
export interface ResultSource {
  readonly path: string;
  /** Null for a snapshot, which names neither router nor profile. */
  readonly header: EvalHeader | null;
  /** Decimals the logits were rounded to; null for full precision. */
  readonly decimals: number | null;
  /** False while an evaluation still writes the file, or when it was cut off. */
  readonly isComplete: boolean;
  ids(): Iterable<string>;
  has(id: string): boolean;
  get(id: string): Promise<ComparableCase | null>;
  close(): Promise<void>;
}

/** Bytes at the start of a file that tell a results file from a snapshot. */
const headBytes = 4096;

/**
 * Opens a results file (JSON lines), an assembled result (`--json`) or a snapshot.
 *
 * @throws EvalError `results_unreadable` or `snapshot_unreadable`
 */
export async function openResults(path: string): Promise<ResultSource> {
  const head = await readHead(path);
  const firstLine = head.split('\n', 1)[0] ?? '';
  const isOurs = /"format"\s*:\s*"trinity-eval"/.test(head);
  // An assembled result is one line, too, and its header says its type within it.
  if (isOurs && /"header"\s*:\s*\{/.test(head)) return openAssembled(path);
  if (/"type"\s*:\s*"header"/.test(firstLine)) return openResultLines(path);
  const snapshot = await readSnapshot(path);
  return fromMemory(path, null, 6, [...snapshot.values()].map(comparableSnapshot));
}

async function readHead(path: string): Promise<string> {
  let file: FileHandle | null = null;
  try {
    file = await open(path, 'r');
    if (!(await file.stat()).isFile()) {
      throw new EvalError('results_unreadable', `${path} is no regular file.`);
    }
    const bytes = Buffer.alloc(headBytes);
    const { bytesRead } = await file.read(bytes, 0, headBytes, 0);
    return bytes.toString('utf8', 0, bytesRead);
  } catch (cause) {
    if (cause instanceof EvalError) throw cause;
    throw new EvalError('results_unreadable', `${path} could not be read.`, { cause });
  } finally {
    await file?.close();
  }
}

async function openResultLines(path: string): Promise<ResultSource> {
  const { header, places, isComplete } = await indexResults(path);
  const file = await open(path, 'r');
  let isClosed = false;
  return {
    path,
    header,
    decimals: null,
    isComplete,
    ids: () => places.keys(),
    has: (id) => places.has(id),
    async get(id) {
      const place = places.get(id);
      if (place === undefined) return null;
      const [start, end, number] = place;
      const bytes = Buffer.alloc(end - start);
      await file.read(bytes, 0, bytes.length, start);
      return caseIn(bytes, id, `Line ${number} of ${path}`);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await file.close();
    },
  };
}

/** @throws EvalError `results_unreadable` when the bytes are not a line of that case, or contradict themselves */
function caseIn(bytes: Buffer, id: string, place: string): ComparableCase {
  const refuse = (cause?: unknown): EvalError =>
    new EvalError('results_unreadable', `${place}, the case "${id}", is malformed.`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw refuse(cause);
  }
  const line = evalLineSchema.safeParse(value);
  if (!line.success) throw refuse(line.error);
  if (line.data.type !== 'case' || line.data.id !== id) throw refuse();
  requireConsistent(line.data, place);
  return comparable(line.data);
}

/** A margin is stored as it was computed; another program may have printed fewer digits. */
const marginTolerance = 1e-9;

function requireConsistent(line: EvalCaseResult, place: string): void {
  const member = contradictedMember(line, marginTolerance);
  if (member === null) return;
  const fault = member.endsWith('Id') ? 'is not the argmax of' : 'does not follow from';
  throw new EvalError(
    'results_unreadable',
    `${place}, the case "${line.id}", contradicts itself: ${member} ${fault} its logits.`,
  );
}

const maxAssembledBytes = 256 * 2 ** 20;

async function openAssembled(path: string): Promise<ResultSource> {
  const refuse = (cause?: unknown): EvalError =>
    new EvalError('results_unreadable', `${path} is no assembled evaluation result.`, { cause });
  if ((await stat(path)).size > maxAssembledBytes) throw refuse();
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw refuse(cause);
  }
  if (typeof value !== 'object' || value === null) throw refuse();
  const members = value as { header?: unknown; cases?: unknown };
  const header = evalLineSchema.safeParse(members.header);
  if (!header.success || header.data.type !== 'header' || !Array.isArray(members.cases)) {
    throw refuse(header.error);
  }
  const seen = new Set<string>();
  const cases = members.cases.flatMap((entry, index) => {
    const line = evalLineSchema.safeParse(entry);
    if (!line.success) throw refuse(line.error);
    const { data } = line;
    if (data.type !== 'case' && data.type !== 'case_error') return [];
    const place = `Entry ${index + 1} of "cases" in ${path}`;
    if (seen.has(data.id)) {
      throw new EvalError(
        'results_unreadable',
        `${place} holds the case "${data.id}" a second time.`,
      );
    }
    seen.add(data.id);
    if (data.type === 'case_error') return [];
    requireConsistent(data, place);
    return [comparable(data)];
  });
  return fromMemory(path, header.data, null, cases);
}

function fromMemory(
  path: string,
  header: EvalHeader | null,
  decimals: number | null,
  cases: readonly ComparableCase[],
): ResultSource {
  const byId = new Map(cases.map((entry) => [entry.id, entry]));
  return {
    path,
    header,
    decimals,
    isComplete: header === null || byId.size === header.caseCount,
    ids: () => byId.keys(),
    has: (id) => byId.has(id),
    get: (id) => Promise.resolve(byId.get(id) ?? null),
    close: () => Promise.resolve(),
  };
}

/** A routed case with its margins as numbers: a head of one output has none, which counts as 0. */
export function comparable(line: EvalCaseResult): ComparableCase {
  return { ...line, agentMargin: line.agentMargin ?? 0, roleMargin: line.roleMargin ?? 0 };
}

function comparableSnapshot(entry: SnapshotCase): ComparableCase {
  return {
    id: entry.id,
    agentId: entry.agent_id,
    roleId: entry.role_id,
    agentLogits: entry.agent_logits_rounded,
    roleLogits: entry.role_logits_rounded,
    agentMargin: entry.agent_margin,
    roleMargin: entry.role_margin,
    tokenCount: entry.token_count,
    upstreamTranscriptHash: entry.transcript_hash,
    expected: {},
    tags: [],
  };
}
