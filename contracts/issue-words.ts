import type { z } from 'zod';

/**
 * What is wrong with a value of a file, in one line that a person can act on: the member, and what it is or
 * should be. Zod's own words name types where one would name the fault, and a union only says "Invalid input".
 */
export function issueWords(issue: z.core.$ZodIssue): string {
  const member = issue.path.length === 0 ? 'the value' : issue.path.join('.');
  const message = faultOf(issue.message);
  return /^(?:is|are|has|holds|should) /.test(message)
    ? `${member} ${message}`
    : `${member}: ${message}`;
}

function faultOf(message: string): string {
  if (/received undefined$/.test(message)) return 'is missing';
  const [, expected, received] =
    /^Invalid (?:input|option): expected (.+?)(?:, received (.+))?$/.exec(message) ?? [];
  if (expected === undefined) return message;
  return received === undefined
    ? `should be ${expected}`
    : `should be ${expected}, not ${received}`;
}
