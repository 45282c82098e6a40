import { implement } from '@orpc/server';
import { chatContract } from '../../contracts/app/chat.ts';
import type { ConversationService } from './conversation-service.ts';

/** The procedures of `chat`. */
export function chatProcedures(service: ConversationService) {
  const os = implement(chatContract);
  const { conversations, runs, changes } = service;
  return {
    list: os.list.handler(({ input }) => service.list(input)),
    create: os.create.handler(() => service.create()),
    get: os.get.handler(({ input }) => runs.read(input.id)),
    rename: os.rename.handler(({ input }) => {
      conversations.rename(input.id, input.title);
      changes.publish({ kind: 'conversation', id: input.id });
      return {};
    }),
    remove: os.remove.handler(async ({ input }) => {
      await runs.remove(input.id);
      changes.publish({ kind: 'conversation_removed', id: input.id });
      return {};
    }),
    setSystemPrompt: os.setSystemPrompt.handler(({ input }) => {
      conversations.setSystemPrompt(input.id, input.text);
      changes.publish({ kind: 'conversation', id: input.id });
      return {};
    }),
    saveDraft: os.saveDraft.handler(({ input }) => {
      conversations.saveDraft(input.id, input.text);
      return {};
    }),
    start: os.start.handler(({ input }) =>
      runs.start(input.conversationId, input.text, input.pins),
    ),
    stop: os.stop.handler(({ input }) => {
      runs.stop(input.runId);
      return {};
    }),
    attach: os.attach.handler(({ input, signal }) =>
      runs.attach(input.runId, input.fromSeq, signal),
    ),
    acknowledge: os.acknowledge.handler(({ input }) => {
      runs.acknowledge(input.streamId, input.seq);
      return {};
    }),
    whatIf: os.whatIf.handler(({ input: { conversationId, text, pins, disabledSlots }, signal }) =>
      runs.whatIf(conversationId, text, { pins, disabledSlots }, signal),
    ),
    changes: os.changes.handler(({ signal }) => changes.subscribe(signal)),
  };
}
