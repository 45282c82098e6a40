import { z } from 'zod';
import { sha256Schema, textHashSchema } from './hashes.ts';
import { precisionMapSchema, profileIdSchema } from './profiles.ts';
import { messagesSchema } from './transcript.ts';

/** What a case expects: one id, or any of several; absent means nothing is asserted. */
export const expectationSchema = z.object({
  agentIds: z.array(z.number().int().min(0)).min(1).optional(),
  roleIds: z.array(z.number().int().min(0)).min(1).optional(),
});

export const evalCaseSchema = z.object({
  id: z.string().min(1).max(200),
  messages: messagesSchema.min(1),
  expected: expectationSchema.default({}),
  tags: z.array(z.string()).default([]),
  notes: z.string().default(''),
});
export type EvalCase = z.output<typeof evalCaseSchema>;

export const evalCaseStatuses = ['passed', 'failed', 'reported', 'error'] as const;

/** One line of a results file; logits at full precision. */
export const evalCaseResultSchema = z.object({
  type: z.literal('case'),
  id: z.string(),
  status: z.enum(evalCaseStatuses),
  /** Names of what failed: `agent`, `role`, `agent_margin`, `role_margin`, `token_count`, ... */
  failures: z.array(z.string()),
  agentId: z.number().int(),
  roleId: z.number().int(),
  agentLogits: z.array(z.number()),
  roleLogits: z.array(z.number()),
  agentMargin: z.number().nullable(),
  roleMargin: z.number().nullable(),
  tokenCount: z.number().int(),
  hiddenIndex: z.number().int(),
  transcriptHash: textHashSchema,
  upstreamTranscriptHash: sha256Schema,
  upstreamRouteHash: sha256Schema,
  ms: z.number(),
  tags: z.array(z.string()),
  expected: expectationSchema,
});
export type EvalCaseResult = z.infer<typeof evalCaseResultSchema>;

/** A case that could not be routed, such as one that is too long to read. */
export const evalCaseErrorSchema = z.object({
  type: z.literal('case_error'),
  id: z.string(),
  status: z.literal('error'),
  code: z.string(),
  message: z.string(),
  tags: z.array(z.string()),
});
export type EvalCaseError = z.infer<typeof evalCaseErrorSchema>;

export const floorSources = ['flag', 'calibration', 'flag_and_calibration', 'none'] as const;

/** What an evaluation was asked for and judged by; results are only gone on with under the same. */
export const evalRequestSchema = z.object({
  cases: z.array(z.string()),
  tags: z.array(z.string()),
  match: z.string().nullable(),
  tokenizer: z.enum(['typed', 'plain']),
  determinismRuns: z.number().int(),
  reportOnly: z.boolean(),
  agentFloor: z.number().nullable(),
  roleFloor: z.number().nullable(),
  floorSource: z.enum(floorSources),
  /** Over the snapshot that was asserted; null without one. */
  snapshotHash: textHashSchema.nullable(),
});
export type EvalRequest = z.infer<typeof evalRequestSchema>;

export const evalHeaderSchema = z.object({
  type: z.literal('header'),
  format: z.literal('trinity-eval'),
  version: z.literal(1),
  suiteHash: textHashSchema,
  suiteName: z.string(),
  caseCount: z.number().int(),
  adapterRef: sha256Schema,
  profile: profileIdSchema,
  /** Calibrated, in the place of the profile's own; absent where that one was used. */
  precision: precisionMapSchema.optional(),
  graphVersion: z.number().int(),
  startedAt: z.number(),
  machine: z.object({ platform: z.string(), arch: z.string(), cpu: z.string(), cores: z.number() }),
  asked: evalRequestSchema.optional(),
});

export type EvalHeader = z.infer<typeof evalHeaderSchema>;

export const evalSummarySchema = z.object({
  type: z.literal('summary'),
  passed: z.number().int(),
  failed: z.number().int(),
  reported: z.number().int(),
  errors: z.number().int(),
  /** Cases chosen per slot and per role. */
  agents: z.record(z.string(), z.number().int()),
  roles: z.record(z.string(), z.number().int()),
  worstAgentMargin: z.object({ id: z.string(), margin: z.number() }).nullable(),
  worstRoleMargin: z.object({ id: z.string(), margin: z.number() }).nullable(),
});

export type EvalSummary = z.infer<typeof evalSummarySchema>;

/** A line of a results file: the header first, then cases in the suite's order, the summary last. */
export const evalLineSchema = z.discriminatedUnion('type', [
  evalHeaderSchema,
  evalCaseResultSchema,
  evalCaseErrorSchema,
  evalSummarySchema,
]);
export type EvalLine = z.infer<typeof evalLineSchema>;

/** Margin floors, keyed by router, profile and suite. Absent floors mean "uncalibrated". */
export const marginFloorsSchema = z.object({
  adapterRef: sha256Schema,
  profile: profileIdSchema,
  suiteHash: textHashSchema,
  agent: z.number().min(0),
  role: z.number().min(0),
});
export type MarginFloors = z.infer<typeof marginFloorsSchema>;

/** Floors as a calibration left them, with what they rest on. */
export const calibratedFloorsSchema = marginFloorsSchema.extend({
  calibratedAt: z.number(),
  cases: z.number().int(),
  /** Cases in which the profile decided as `cpu-f32` did; the floors are 80 % of their worst margins. */
  agreeing: z.number().int(),
});
export type CalibratedFloors = z.infer<typeof calibratedFloorsSchema>;

/** True for a margin under its floor. One equal to it is not under it; a floor of 0 or null asserts nothing. */
export function isUnderFloor(margin: number | null, floor: number | null): boolean {
  return floor !== null && floor > 0 && (margin ?? 0) < floor;
}
