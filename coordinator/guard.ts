import type { RoleName } from '../contracts/roles.ts';
import { isBlank, type Transcript } from './views.ts';

/**
 * The Worker answer there is to judge, or null. It is the last complete Worker text of this run, else
 * the last assistant text that came with the task. A text that says nothing is no answer.
 */
export function answerToJudge(transcript: Pick<Transcript, 'given' | 'turns'>): string | null {
  const worker = transcript.turns.findLast(({ role, text }) => role === 'Worker' && !isBlank(text));
  if (worker !== undefined) return worker.text;
  return transcript.given.findLast((text) => !isBlank(text)) ?? null;
}

/** The role after the Verifier guard: without an answer to judge, a Verifier becomes a Worker. */
export function guardRole(role: RoleName, hasAnswer: boolean, guardVerifier: boolean): RoleName {
  return guardVerifier && role === 'Verifier' && !hasAnswer ? 'Worker' : role;
}
