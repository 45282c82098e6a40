import { z } from 'zod';
import { evalCaseSchema, type EvalCase } from '../../contracts/evals.ts';
import { issueWords } from '../../contracts/issue-words.ts';
import { parseRole, roleId } from '../../contracts/roles.ts';
import { messageRoles } from '../../contracts/transcript.ts';

/** Why something of a suite was passed over, or cannot be met, and where. */
export interface Diagnostic {
  /** Line of the file, from 1; null where a file has no lines of its own (one JSON document). */
  readonly line: number | null;
  readonly file: string;
  readonly caseId: string | null;
  readonly code:
    | 'bad_json'
    | 'bad_case'
    | 'unknown_role'
    | 'unknown_slot'
    | 'duplicate_id'
    | 'line_too_long'
    | 'torn_last_line'
    | 'bad_table'
    | 'unreadable_file';
  readonly message: string;
}

/** A diagnostic in one line: where, what, and its code. */
export function diagnosticText({ file, line, caseId, code, message }: Diagnostic): string {
  const where = `${file}${line === null ? '' : `:${line}`}${caseId === null ? '' : ` (${caseId})`}`;
  return `${where}: ${message} [${code}]`;
}

export type ParsedCase =
  | { readonly ok: true; readonly value: EvalCase }
  | {
      readonly ok: false;
      readonly code: Diagnostic['code'];
      readonly caseId: string | null;
      readonly message: string;
    };

const oneOrMore = <T extends z.ZodType>(item: T, what: string) =>
  z.union([item, z.array(item).min(1, 'is an empty list')], `should be ${what}, or a list of them`);
const agent = z.number().int().min(0);
const role = z.union([z.number().int().min(0), z.string()]);
const agents = oneOrMore(agent, 'the number of a slot (0, 1, ...)');
const roles = oneOrMore(role, 'the name or number of a role');

/** Everything a case may say, ours and upstream's spelling. Unknown members are passed over. */
const looseCaseSchema = z.object({
  id: z
    .union([z.string(), z.number()], {
      error: ({ input }) => (input === undefined ? 'is missing' : 'should be a text'),
    })
    .transform(String)
    .pipe(z.string().min(1).max(200)),
  messages: z
    .array(z.object({ role: z.string(), content: z.string() }))
    .min(1)
    .optional(),
  prompt: z.string().optional(),
  expected: z
    .object({
      agentIds: z.array(agent).min(1).optional(),
      roleIds: z.array(agent).min(1).optional(),
      agent: agents.optional(),
      role: roles.optional(),
      agent_id: agents.nullable().optional(),
      role_id: roles.nullable().optional(),
    })
    .nullable()
    .optional(),
  tags: z.array(z.string()).nullable().optional(),
  notes: z.string().nullable().optional(),
});

/**
 * A case from a JSON value in our spelling (`expected.agentIds`, or `agent` and `role` by id or name) or
 * upstream's (`expected.agent_id`). `prompt` stands for one user message.
 */
export function parseCase(value: unknown): ParsedCase {
  const caseId = idOf(value);
  const loose = looseCaseSchema.safeParse(value);
  if (!loose.success) {
    return { ok: false, code: 'bad_case', caseId, message: describeIssues(loose.error) };
  }
  const { id, messages, prompt, expected, tags, notes } = loose.data;
  if ((messages === undefined) === (prompt === undefined)) {
    return {
      ok: false,
      code: 'bad_case',
      caseId,
      message: 'a case has either "messages" or "prompt"',
    };
  }
  const transcript = messages ?? [{ role: 'user', content: prompt ?? '' }];
  const stranger = transcript.find(
    (message) => !(messageRoles as readonly string[]).includes(message.role),
  );
  if (stranger !== undefined) {
    return unknownRole(caseId, `message role "${stranger.role}" is not system, user or assistant`);
  }
  const agentIds = expected?.agentIds ?? list(expected?.agent ?? expected?.agent_id);
  const roles = expected?.roleIds ?? list(expected?.role ?? expected?.role_id);
  const roleIds = roles?.map(idOfRole);
  const unknown = roles?.find((_, index) => roleIds?.[index] === null);
  if (unknown !== undefined) return unknownRole(caseId, `expected role "${unknown}" is unknown`);
  return {
    ok: true,
    value: evalCaseSchema.parse({
      id,
      messages: transcript,
      expected: { agentIds, roleIds },
      tags: tags ?? [],
      notes: notes ?? '',
    }),
  };
}

function idOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' ? value.id.slice(0, 200) : null;
}

function unknownRole(caseId: string | null, message: string): ParsedCase {
  return { ok: false, code: 'unknown_role', caseId, message };
}

function list<T>(value: T | readonly T[] | null | undefined): readonly T[] | undefined {
  if (value === null || value === undefined) return undefined;
  return (Array.isArray(value) ? value : [value]) as readonly T[];
}

function idOfRole(value: string | number): number | null {
  if (typeof value === 'number') return value;
  const name = parseRole(value);
  return name === null ? null : roleId(name);
}

/** The first things wrong with a value, by path, in one line. */
export function describeIssues(error: z.ZodError): string {
  return error.issues.slice(0, 3).map(issueWords).join('; ');
}
