import { implement } from '@orpc/server';
import { evalsContract } from '../../contracts/app/evals.ts';
import type { Conversation } from '../../contracts/stored.ts';
import { caseFromTurn } from './case-from-turn.ts';
import type { EvalService } from './eval-service.ts';

/** The procedures of `evals`. */
export function evalProcedures(evals: EvalService, readConversation: (id: string) => Conversation) {
  const os = implement(evalsContract);
  return {
    saveCase: os.saveCase.handler(async ({ input }) => {
      const { conversationId, runId, turn, expectChoice } = input;
      const evalCase = caseFromTurn(readConversation(conversationId), runId, turn, expectChoice);
      await evals.saved.add(evalCase);
      return { caseId: evalCase.id, path: evals.saved.path };
    }),
    floors: os.floors.handler(({ input }) => evals.floors(input)),
  };
}
