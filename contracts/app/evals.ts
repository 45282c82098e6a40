import { oc } from '@orpc/contract';
import { z } from 'zod';
import { calibratedFloorsSchema } from '../evals.ts';
import { sha256Schema } from '../hashes.ts';
import { profileIdSchema } from '../profiles.ts';

const id = z.string().min(1).max(100);

export const evalsContract = {
  /**
   * Saves what the router read in one turn as an evaluation case. With `expectChoice` the slot and role
   * that the router chose become the case's expectation.
   */
  saveCase: oc
    .input(
      z.object({
        conversationId: id,
        runId: id,
        turn: z.number().int().min(1),
        expectChoice: z.boolean().default(false),
      }),
    )
    .output(z.object({ caseId: z.string(), path: z.string() })),
  /** Margin floors of a router on a profile by its latest calibration, on whichever suite; null: uncalibrated. */
  floors: oc
    .input(z.object({ adapterRef: sha256Schema, profile: profileIdSchema }))
    .output(calibratedFloorsSchema.nullable()),
};
