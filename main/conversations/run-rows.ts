import type { SQLOutputValue } from 'node:sqlite';
import { z } from 'zod';
import {
  finishReasons,
  suggestionSchema,
  usageSchema,
  verdictSchema,
} from '../../contracts/events.ts';
import { roleNameSchema } from '../../contracts/roles.ts';
import { routeDecisionSchema, type RouteDecision } from '../../contracts/route.ts';
import {
  failedCallSchema,
  runRecordSchema,
  type RunRecord,
  type TurnRecord,
} from '../../contracts/stored.ts';
import { ConversationError } from './errors.ts';

export type Row = Record<string, SQLOutputValue>;

const json = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(schema);

const { shape } = runRecordSchema;
const runRowSchema = z.object({
  id: z.string(),
  conversation_id: z.string(),
  task: z.string(),
  status: shape.status,
  budget: shape.budget,
  code: shape.code,
  message: shape.message,
  answer: shape.answer,
  verdict: json(verdictSchema).nullable(),
  agents: shape.agents,
  started_at: z.number(),
  ended_at: z.number().nullable(),
  last_seq: z.number(),
});

const turnRowSchema = z.object({
  run_id: z.string(),
  turn: z.number(),
  slot: z.number().nullable(),
  role: roleNameSchema.nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  resolved_model: z.string().nullable(),
  text: z.string(),
  reasoning: z.string(),
  complete: z.number(),
  finish_reason: z.enum(finishReasons).nullable(),
  verdict: json(verdictSchema).nullable(),
  suggestion: json(suggestionSchema).nullable(),
  failures: json(z.array(failedCallSchema)),
  usage: json(usageSchema).nullable(),
  cost_usd: z.number().nullable(),
  first_token_ms: z.number().nullable(),
  latency_ms: z.number().nullable(),
});

const routeRowSchema = z.object({
  run_id: z.string(),
  turn: z.number(),
  decision: json(routeDecisionSchema),
});

/** A run of its row, turns not yet read. */
export function runOfRow(row: Row): Omit<RunRecord, 'turns'> {
  const run = parsed(runRowSchema, row);
  const { conversation_id: conversationId, started_at: startedAt, ended_at: endedAt } = run;
  const { id, task, status, budget, code, message, answer, verdict, agents } = run;
  return {
    ...{ id, conversationId, task, status, budget, code, message, answer, verdict, agents },
    ...{ startedAt, endedAt, lastSeq: run.last_seq },
  };
}

/** A turn of its row, decisions not yet read, with the run it belongs to. */
export function turnOfRow(row: Row): { runId: string; turn: Omit<TurnRecord, 'decisions'> } {
  const { run_id: runId, ...rest } = parsed(turnRowSchema, row);
  const { turn, slot, role, provider, model, text, reasoning, verdict, suggestion } = rest;
  return {
    runId,
    turn: {
      ...{ turn, slot, role, provider, model, text, reasoning, verdict, suggestion },
      resolvedModel: rest.resolved_model,
      complete: rest.complete === 1,
      finishReason: rest.finish_reason,
      failures: rest.failures,
      usage: rest.usage,
      costUsd: rest.cost_usd,
      firstTokenMs: rest.first_token_ms,
      latencyMs: rest.latency_ms,
    },
  };
}

/** A decision of its row, with the turn it belongs to. */
export function routeOfRow(row: Row): { runId: string; turn: number; decision: RouteDecision } {
  const { run_id: runId, turn, decision } = parsed(routeRowSchema, row);
  return { runId, turn, decision };
}

/** JSON text of a member, or null. */
export function jsonColumn(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function parsed<T>(schema: z.ZodType<T>, row: Row): T {
  try {
    return schema.parse({ ...row });
  } catch (error) {
    throw new ConversationError(
      'storage_corrupt',
      'A stored run cannot be read: its row is damaged.',
      {
        cause: error,
      },
    );
  }
}
