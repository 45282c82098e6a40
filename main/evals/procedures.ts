import { implement } from '@orpc/server';
import { evalsContract } from '../../contracts/app/evals.ts';
import type { Conversation } from '../../contracts/stored.ts';
import { caseFromTurn } from './case-from-turn.ts';
import type { WriteFileAtomically } from './floors-store.ts';
import { evalPlaces } from './places.ts';
import { SavedCases } from './saved-cases.ts';

export interface EvalServiceParts {
  /** Folder of everything that evaluations keep. */
  readonly folder: string;
  readonly write: WriteFileAtomically;
  readonly readConversation: (id: string) => Conversation;
}

/** The procedures of `evals`. */
export function evalProcedures(parts: EvalServiceParts) {
  const os = implement(evalsContract);
  const saved = new SavedCases(evalPlaces(parts.folder).savedCases, parts.write);
  return {
    saveCase: os.saveCase.handler(async ({ input }) => {
      const { conversationId, runId, turn, expectChoice } = input;
      const conversation = parts.readConversation(conversationId);
      const evalCase = caseFromTurn(conversation, runId, turn, expectChoice);
      await saved.add(evalCase);
      return { caseId: evalCase.id, path: saved.path };
    }),
  };
}
