import { z } from 'zod';
import {
  budgetKinds,
  completionStatuses,
  finishReasons,
  usageSchema,
} from '../../contracts/events.ts';
import { sha256Schema, textHashSchema } from '../../contracts/hashes.ts';
import { roleNameSchema } from '../../contracts/roles.ts';
import { routeDecisionSchema, windowReportSchema } from '../../contracts/route.ts';
import { messagesSchema } from '../../contracts/transcript.ts';

/** What every line has, also one of a type that this version does not know. */
export const lineHeadSchema = z.object({
  v: z.number().int(),
  seq: z.number().int().min(0),
  runId: z.string(),
  turn: z.number().int().min(0),
  type: z.string(),
  at: z.number(),
  /** sha256 of the line before, without its newline; null on the first line. */
  prev: sha256Schema.nullable(),
});

const count = z.number().int().min(0);
const head = { ...lineHeadSchema.shape, v: z.literal(1) };
const slot = count;
const call = z.number().int().min(1);
const characters = count;
const milliseconds = z.number().min(0);
const verdict = z.object({
  status: z.enum(['accepted', 'revised', 'unknown']),
  diagnosis: z.string().nullable().optional(),
});
const outcome = {
  answerHash: textHashSchema.nullable(),
  verdict: verdict.nullable(),
  answer: z.string().nullable().optional(),
};

/** A decision with counts that can be counts: the contract leaves their signs to the runtime that measures them. */
const decision = routeDecisionSchema.extend({
  tokenCount: z.number().int().min(1),
  hiddenIndex: count,
  reusedTokens: count,
  window: windowReportSchema.extend({ omitted: count, cut: count }),
});

/**
 * A line of a trace: an event of a run with the hash of the line before. Members that hold text are
 * optional: they are there only in a trace with `content: full`. Everything else is an id, a number, a
 * hash or one of a closed list.
 */
export const traceLineSchema = z.discriminatedUnion('type', [
  z.object({
    ...head,
    type: z.literal('run_started'),
    maxTurns: z.number().int().min(1),
    agentCount: count,
    agents: z.enum(['rehearsal', 'slots']),
    transcriptHash: textHashSchema,
    task: z.string().optional(),
    earlier: messagesSchema.optional(),
    given: z.array(z.string()).optional(),
  }),
  z.object({
    ...head,
    type: z.literal('turn_started'),
    transcriptHash: textHashSchema,
    messageCount: count,
  }),
  z.object({ ...head, type: z.literal('routed'), decision }),
  z.object({
    ...head,
    type: z.literal('dispatch_started'),
    call,
    slot,
    role: roleNameSchema,
    provider: z.string(),
    model: z.string(),
  }),
  z.object({
    ...head,
    type: z.literal('delta'),
    channel: z.enum(['text', 'reasoning']),
    characters,
    text: z.string().optional(),
  }),
  z.object({
    ...head,
    type: z.literal('dispatch_finished'),
    call,
    slot,
    finishReason: z.enum(finishReasons),
    usage: usageSchema.nullable(),
    costUsd: z.number().min(0).nullable(),
    resolvedModel: z.string().nullable(),
    requestId: z.string().nullable(),
    firstTokenMs: milliseconds.nullable(),
    latencyMs: milliseconds,
    skippedChunks: count,
  }),
  z.object({
    ...head,
    type: z.literal('dispatch_failed'),
    call,
    slot,
    code: z.string(),
    httpStatus: z.number().int().nullable(),
    afterContent: z.boolean(),
    next: z.enum(['retry', 'reselect', 'end']),
    latencyMs: milliseconds,
    message: z.string().optional(),
  }),
  z.object({
    ...head,
    type: z.literal('turn_completed'),
    slot,
    role: roleNameSchema,
    textHash: textHashSchema,
    characters,
    complete: z.boolean(),
    verdict: verdict.nullable(),
    suggestion: z
      .object({ role: z.enum(['Worker', 'Verifier']), text: z.string().optional() })
      .nullable(),
    text: z.string().optional(),
  }),
  z.object({
    ...head,
    type: z.literal('run_completed'),
    status: z.enum(completionStatuses),
    budget: z.enum(budgetKinds).nullable(),
    ...outcome,
  }),
  z.object({
    ...head,
    type: z.literal('run_failed'),
    code: z.string(),
    ...outcome,
    message: z.string().optional(),
  }),
]);
export type TraceLine = z.infer<typeof traceLineSchema>;
export type TraceLineOf<T extends TraceLine['type']> = Extract<TraceLine, { type: T }>;

/** The types of line that this version knows. */
export const traceLineTypes: ReadonlySet<string> = new Set(
  traceLineSchema.options.map((option) => option.shape.type.value),
);
