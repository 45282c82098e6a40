import { defaultInstructions } from '../contracts/role-instructions.ts';
import type { RoleName } from '../contracts/roles.ts';

/** A person's own instructions; a role that is absent or blank has ours. */
export type RoleInstructions = Readonly<Partial<Record<RoleName, string | undefined>>>;

export interface InstructionWords {
  readonly acceptWord: string;
  readonly reviseWord: string;
}

/** The instruction that a role's calls get: the person's own or ours, with the verdict words put in. */
export function instructionFor(
  role: RoleName,
  own: RoleInstructions,
  words: InstructionWords,
): string {
  const chosen = own[role];
  const text = chosen === undefined || chosen.trim() === '' ? defaultInstructions[role] : chosen;
  return text
    .replaceAll('{accept}', () => words.acceptWord.trim())
    .replaceAll('{revise}', () => words.reviseWord.trim());
}
