import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import type { EvalCaseResult } from '../../contracts/evals.ts';
import { canonicalJson } from '../../contracts/canonical-json.ts';
import { sha256Schema, type TextHash } from '../../contracts/hashes.ts';
import { sha256 } from '../../coordinator/hash.ts';
import { describeIssues } from './case-parser.ts';
import { contradictedMember } from './consistency.ts';
import { EvalError } from './eval-error.ts';

const maxSnapshotBytes = 256 * 2 ** 20;

const snapshotCaseSchema = z.object({
  id: z.string().min(1).max(200),
  agent_id: z.number().int().min(0),
  role_id: z.number().int().min(0),
  token_count: z.number().int().min(0),
  agent_margin: z.number(),
  role_margin: z.number(),
  agent_logits_rounded: z.array(z.number()).min(1).max(256),
  role_logits_rounded: z.array(z.number()).min(1).max(16),
  transcript_hash: sha256Schema,
  route_hash: sha256Schema,
});
export type SnapshotCase = z.infer<typeof snapshotCaseSchema>;

const snapshotSchema = z.object({
  schema_version: z.literal(1),
  generated_at: z.string(),
  cases: z.array(snapshotCaseSchema),
});
export type Snapshot = ReadonlyMap<string, SnapshotCase>;

/** How far a stored margin may lie from its own six-decimal logits: each is off by half a millionth at most. */
const marginTolerance = 1e-6 + 1e-9;

/**
 * A snapshot in upstream's schema (version 1): the decisions, token counts and logits of an earlier run
 * by case. Ids, argmax and margins are checked against the logits.
 *
 * @throws EvalError `snapshot_unreadable` naming the case and member
 */
export async function readSnapshot(path: string): Promise<Snapshot> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new EvalError('snapshot_unreadable', `The snapshot ${path} ${why}.`, { cause });
  };
  let text = '';
  try {
    const found = await stat(path);
    if (!found.isFile()) refuse('is no file');
    const { size } = found;
    if (size > maxSnapshotBytes) refuse(`has ${size} bytes; ${maxSnapshotBytes} are read`);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof EvalError) throw cause;
    refuse('could not be read', cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    refuse('is no JSON', cause);
  }
  const parsed = snapshotSchema.safeParse(value);
  if (!parsed.success) return refuse(`is malformed: ${describeIssues(parsed.error)}`);
  const byId = new Map<string, SnapshotCase>();
  for (const entry of parsed.data.cases) {
    if (byId.has(entry.id)) refuse(`names the case ${entry.id} twice`);
    const problem = inconsistency(entry);
    if (problem !== null) refuse(`contradicts itself at the case ${entry.id}: ${problem}`);
    byId.set(entry.id, entry);
  }
  return byId;
}

function inconsistency(entry: SnapshotCase): string | null {
  const decision = {
    agentId: entry.agent_id,
    roleId: entry.role_id,
    agentMargin: entry.agent_margin,
    roleMargin: entry.role_margin,
    agentLogits: entry.agent_logits_rounded,
    roleLogits: entry.role_logits_rounded,
  };
  switch (contradictedMember(decision, marginTolerance)) {
    case 'agentId':
      return 'agent_id is not the argmax';
    case 'roleId':
      return 'role_id is not the argmax';
    case 'agentMargin':
      return 'agent_margin does not follow from the logits';
    case 'roleMargin':
      return 'role_margin does not follow from the logits';
    case null:
      return null;
  }
}

/** The snapshot entry of a result, logits rounded to six decimals as upstream does. */
export function snapshotCase(result: EvalCaseResult): SnapshotCase {
  return {
    id: result.id,
    agent_id: result.agentId,
    role_id: result.roleId,
    token_count: result.tokenCount,
    agent_margin: result.agentMargin ?? 0,
    role_margin: result.roleMargin ?? 0,
    agent_logits_rounded: result.agentLogits.map(roundedLogit),
    role_logits_rounded: result.roleLogits.map(roundedLogit),
    transcript_hash: result.upstreamTranscriptHash,
    route_hash: result.upstreamRouteHash,
  };
}

/** Identity of what a snapshot asserts. */
export function snapshotHash(snapshot: Snapshot): TextHash {
  const text = canonicalJson([...snapshot.values()]);
  return `v1:${sha256(text)}`;
}

/** The text of a snapshot file. */
export function snapshotText(cases: readonly SnapshotCase[], generatedAt: Date): string {
  const file = { schema_version: 1, generated_at: generatedAt.toISOString(), cases };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function roundedLogit(value: number): number {
  return Number(value.toFixed(6));
}
