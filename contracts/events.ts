import { z } from 'zod';
import { textHashSchema } from './hashes.ts';
import { roleNameSchema } from './roles.ts';
import { routeDecisionSchema } from './route.ts';

/** Fields of every event. `seq` starts at 0 and has no gaps; `turn` is 0 for the run itself, then 1.. */
const base = {
  v: z.literal(1),
  seq: z.number().int().min(0),
  runId: z.string(),
  turn: z.number().int().min(0),
  /** Milliseconds since the Unix epoch. */
  at: z.number(),
};

export const usageSchema = z.object({
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  reasoningTokens: z.number().int().nullable(),
  /** True when the provider sent no usage and the numbers were counted here. */
  estimated: z.boolean(),
});
export type Usage = z.infer<typeof usageSchema>;

export const finishReasons = ['stop', 'length', 'refusal', 'tool', 'other'] as const;
export type FinishReason = (typeof finishReasons)[number];

export const verdictSchema = z.object({
  status: z.enum(['accepted', 'revised', 'unknown']),
  /** What follows the accept or revise word; null when nothing does. */
  diagnosis: z.string().nullable(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const suggestionSchema = z.object({
  role: z.enum(['Worker', 'Verifier']),
  text: z.string(),
});
export type Suggestion = z.infer<typeof suggestionSchema>;

export const completionStatuses = ['accepted', 'max_turns', 'budget', 'stopped'] as const;
export const budgetKinds = ['turns', 'calls', 'wall_time', 'latency', 'revisions', 'cost'] as const;
export type BudgetKind = (typeof budgetKinds)[number];

/** What every terminal event carries: a complete Worker text, and the last verdict. */
const outcome = {
  answer: z.string().nullable(),
  verdict: verdictSchema.nullable(),
};

export const runEventSchema = z.discriminatedUnion('type', [
  z.object({
    ...base,
    type: z.literal('run_started'),
    task: z.string(),
    /** Assistant texts that came with the task, to be judged. Left out when there are none. */
    given: z.array(z.string()).optional(),
    maxTurns: z.number().int(),
    agentCount: z.number().int(),
    agents: z.enum(['rehearsal', 'slots']),
    transcriptHash: textHashSchema,
  }),
  z.object({
    ...base,
    type: z.literal('turn_started'),
    transcriptHash: textHashSchema,
    messageCount: z.number().int(),
  }),
  z.object({ ...base, type: z.literal('routed'), decision: routeDecisionSchema }),
  z.object({
    ...base,
    type: z.literal('dispatch_started'),
    /** Counts provider calls of the run, retries included, from 1. */
    call: z.number().int(),
    slot: z.number().int(),
    role: roleNameSchema,
    provider: z.string(),
    model: z.string(),
  }),
  z.object({
    ...base,
    type: z.literal('delta'),
    channel: z.enum(['text', 'reasoning']),
    text: z.string(),
  }),
  z.object({
    ...base,
    type: z.literal('dispatch_finished'),
    call: z.number().int(),
    slot: z.number().int(),
    finishReason: z.enum(finishReasons),
    usage: usageSchema.nullable(),
    /** Null when a price is unknown: never 0. */
    costUsd: z.number().nullable(),
    resolvedModel: z.string().nullable(),
    requestId: z.string().nullable(),
    firstTokenMs: z.number().nullable(),
    latencyMs: z.number(),
    /** Things a tolerant parser passed over, counted. */
    skippedChunks: z.number().int(),
  }),
  z.object({
    ...base,
    type: z.literal('dispatch_failed'),
    call: z.number().int(),
    slot: z.number().int(),
    code: z.string(),
    message: z.string(),
    httpStatus: z.number().int().nullable(),
    /** True when content had been shown: the turn then ends the run. */
    afterContent: z.boolean(),
    /** What happens now. */
    next: z.enum(['retry', 'reselect', 'end']),
    latencyMs: z.number(),
  }),
  z.object({
    ...base,
    type: z.literal('turn_completed'),
    slot: z.number().int(),
    role: roleNameSchema,
    text: z.string(),
    textHash: textHashSchema,
    /** False when the text was cut by a stop, a failure or a deadline. */
    complete: z.boolean(),
    verdict: verdictSchema.nullable(),
    suggestion: suggestionSchema.nullable(),
  }),
  z.object({
    ...base,
    type: z.literal('run_completed'),
    status: z.enum(completionStatuses),
    /** Which budget ended the run; null for other endings. */
    budget: z.enum(budgetKinds).nullable(),
    ...outcome,
  }),
  z.object({
    ...base,
    type: z.literal('run_failed'),
    code: z.string(),
    message: z.string(),
    ...outcome,
  }),
]);
export type RunEvent = z.infer<typeof runEventSchema>;
export type RunEventType = RunEvent['type'];
export type RunEventOf<T extends RunEventType> = Extract<RunEvent, { type: T }>;

/** True for the one event that ends a run. */
export function endsRun(event: RunEvent): event is RunEventOf<'run_completed' | 'run_failed'> {
  return event.type === 'run_completed' || event.type === 'run_failed';
}
