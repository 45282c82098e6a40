import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { runEventSchema } from '../events.ts';
import { roleNameSchema } from '../roles.ts';
import { routeDecisionSchema } from '../route.ts';
import { conversationSchema, conversationSummarySchema } from '../stored.ts';

const id = z.string().min(1).max(100);
const title = z.string().trim().min(1, 'A title needs a letter.').max(200);
/** Characters of one message that a person may send. */
export const messageLimit = 200_000;

/** What a person fixes for the turns of one run. */
export const pinsSchema = z.object({
  slot: z.number().int().min(0).max(255).optional(),
  role: roleNameSchema.optional(),
});
export type Pins = z.infer<typeof pinsSchema>;

/**
 * What an attached stream yields. `events` carry run events in order, `seq` without gaps. The client
 * acknowledges with `chat.acknowledge`; the server sends at most `streamWindow` events ahead of it.
 */
export const attachedSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('opened'), streamId: id, state: z.enum(['live', 'settled']) }),
  z.object({ kind: z.literal('events'), events: z.array(runEventSchema) }),
]);
export type Attached = z.infer<typeof attachedSchema>;
export const streamWindow = 256;

/** What changed in the list of conversations, for every open window. */
export const changeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('conversation'), id }),
  z.object({ kind: z.literal('conversation_removed'), id }),
  z.object({ kind: z.literal('run_started'), id, runId: id }),
  z.object({ kind: z.literal('run_ended'), id, runId: id }),
]);
export type Change = z.infer<typeof changeSchema>;

export const chatContract = {
  list: oc
    .input(
      z.object({
        query: z.string().max(500).default(''),
        before: z.number().nullable().default(null),
        limit: z.number().int().min(1).max(200).default(100),
      }),
    )
    .output(
      z.object({
        conversations: z.array(conversationSummarySchema),
        more: z.boolean(),
        /** Pass it as `before` for the next page; null at the end. */
        next: z.number().nullable(),
      }),
    ),
  create: oc.input(z.object({})).output(conversationSchema),
  get: oc.input(z.object({ id })).output(conversationSchema),
  rename: oc.input(z.object({ id, title })).output(z.object({})),
  remove: oc.input(z.object({ id })).output(z.object({})),
  setSystemPrompt: oc.input(z.object({ id, text: z.string().max(50_000) })).output(z.object({})),
  saveDraft: oc.input(z.object({ id, text: z.string().max(messageLimit) })).output(z.object({})),
  start: oc
    .input(
      z.object({
        conversationId: id,
        text: z
          .string()
          .max(messageLimit)
          .refine((text) => text.trim() !== '', 'The message is empty.'),
        pins: pinsSchema.default({}),
      }),
    )
    .output(z.object({ runId: id })),
  stop: oc.input(z.object({ runId: id })).output(z.object({})),
  attach: oc
    .input(z.object({ runId: id, fromSeq: z.number().int().min(0) }))
    .output(eventIterator(attachedSchema)),
  acknowledge: oc
    .input(z.object({ streamId: id, seq: z.number().int().min(-1) }))
    .output(z.object({})),
  /** Routes without calling anyone; reads the prefix cache and never writes it. */
  whatIf: oc
    .input(
      z.object({
        /** Null: as the first message of a conversation that does not exist yet; none is created. */
        conversationId: id.nullable(),
        text: z.string().max(messageLimit),
        disabledSlots: z.array(z.number().int().min(0).max(255)).max(256).default([]),
        pins: pinsSchema.default({}),
      }),
    )
    .output(routeDecisionSchema),
  /** Changes from now on, for every open window; ends only with its signal. */
  changes: oc.input(z.object({})).output(eventIterator(changeSchema)),
};
