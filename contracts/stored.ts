import { z } from 'zod';
import {
  budgetKinds,
  completionStatuses,
  finishReasons,
  suggestionSchema,
  usageSchema,
  verdictSchema,
} from './events.ts';
import { roleNameSchema } from './roles.ts';
import { routeDecisionSchema } from './route.ts';

/** One provider call that failed within a turn. */
export const failedCallSchema = z.object({
  slot: z.number().int(),
  code: z.string(),
  message: z.string(),
  next: z.enum(['retry', 'reselect', 'end']),
});

/** A turn as the database keeps it. */
export const turnRecordSchema = z.object({
  turn: z.number().int(),
  /** Every decision of the turn: two when the first choice failed and the turn was selected again. */
  decisions: z.array(routeDecisionSchema),
  slot: z.number().int().nullable(),
  role: roleNameSchema.nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The model that the provider says answered, which may be another name than the one asked for. */
  resolvedModel: z.string().nullable(),
  text: z.string(),
  reasoning: z.string(),
  complete: z.boolean(),
  finishReason: z.enum(finishReasons).nullable(),
  verdict: verdictSchema.nullable(),
  suggestion: suggestionSchema.nullable(),
  failures: z.array(failedCallSchema),
  usage: usageSchema.nullable(),
  costUsd: z.number().nullable(),
  firstTokenMs: z.number().nullable(),
  latencyMs: z.number().nullable(),
});
export type TurnRecord = z.infer<typeof turnRecordSchema>;

export const runStatuses = ['running', ...completionStatuses, 'failed'] as const;

/** A run as the database keeps it. `lastSeq` is the last event folded into it. */
export const runRecordSchema = z.object({
  id: z.string(),
  conversationId: z.string(),
  task: z.string(),
  status: z.enum(runStatuses),
  budget: z.enum(budgetKinds).nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  answer: z.string().nullable(),
  verdict: verdictSchema.nullable(),
  agents: z.enum(['rehearsal', 'slots']),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  lastSeq: z.number().int(),
  turns: z.array(turnRecordSchema),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

export const conversationSummarySchema = z.object({
  id: z.string(),
  title: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
  liveRunId: z.string().nullable(),
  /** Text around a match when the list was searched. */
  snippet: z.string().nullable(),
});
export type ConversationSummary = z.infer<typeof conversationSummarySchema>;

export const conversationSchema = conversationSummarySchema.extend({
  systemPrompt: z.string(),
  draft: z.string(),
  runs: z.array(runRecordSchema),
});
export type Conversation = z.infer<typeof conversationSchema>;
