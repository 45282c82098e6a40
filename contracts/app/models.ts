import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { failureSchema } from '../failure.ts';
import { routerSummarySchema } from '../manifest.ts';
import { availabilitySchema, profileIdSchema } from '../profiles.ts';

/** State of the active router. `demo` is said wherever an untrained router decides. */
export const routerStateSchema = z.object({
  router: routerSummarySchema.nullable(),
  profile: profileIdSchema,
  isDemo: z.boolean(),
  /** Set when `profile` is not the one asked for, with the reason in plain words. */
  fallback: z.object({ from: profileIdSchema, reason: z.string() }).nullable().optional(),
  phase: z.discriminatedUnion('state', [
    z.object({ state: z.literal('idle') }),
    z.object({ state: z.literal('building'), fraction: z.number() }),
    z.object({ state: z.literal('loading') }),
    z.object({ state: z.literal('ready'), loadMs: z.number(), rssBytes: z.number() }),
    z.object({ state: z.literal('restarting'), attempt: z.number().int() }),
    z.object({ state: z.literal('failed'), failure: failureSchema }),
  ]),
});
export type RouterState = z.infer<typeof routerStateSchema>;

export const modelsContract = {
  list: oc.input(z.object({})).output(z.array(routerSummarySchema)),
  profiles: oc
    .input(z.object({}))
    .output(z.array(z.object({ id: profileIdSchema, availability: availabilitySchema }))),
  state: oc.input(z.object({})).output(routerStateSchema),
  /** The state now and at every change. */
  watch: oc.input(z.object({})).output(eventIterator(routerStateSchema)),
  select: oc
    .input(z.object({ router: z.string().min(1).max(2000), profile: profileIdSchema }))
    .output(routerStateSchema),
};
