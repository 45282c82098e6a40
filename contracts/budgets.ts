import { z } from 'zod';

/** Timers wait no longer than this; a longer one would fire at once. About 24 days. */
const longestTimerMs = 2_147_483_647;

/**
 * Limits of one run; an absent limit does not limit. Turns, calls, revisions and cost are checked
 * before a dispatch; wall time and latency are deadlines that abort the call in flight.
 */
export const budgetsSchema = z.object({
  /** The run ends when this many turns are complete. */
  maxTurns: z.number().int().min(1).max(50).default(5),
  /** Provider calls, retries included: N are allowed, the N+1st is not made. */
  maxCalls: z.number().int().min(1).optional(),
  /** Deadline of the whole run: it fires when elapsed >= limit. */
  maxWallMs: z.number().int().min(1).max(longestTimerMs).optional(),
  /** Deadline of one provider call: it fires when elapsed >= limit. */
  maxLatencyMs: z.number().int().min(1).max(longestTimerMs).optional(),
  /** Verifier revisions: N are allowed, the run ends before a dispatch after more than N. */
  maxRevisions: z.number().int().min(0).optional(),
  /** A dispatch is refused when spent + its worst-case estimate > limit. */
  maxCostUsd: z.number().positive().optional(),
  /** Under a cost limit, dispatch also where a price is unknown. */
  allowUnknownPrices: z.boolean().default(false),
});
export type Budgets = z.output<typeof budgetsSchema>;
