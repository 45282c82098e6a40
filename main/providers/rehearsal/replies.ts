import type { RoleName } from '../../../contracts/roles.ts';
import type { StreamRequest } from '../wire/port.ts';

/** What a rehearsal agent says when no script speaks for it. */
export interface RehearsalReply {
  readonly reasoning: string;
  readonly text: string;
}

/**
 * The built-in answer of a role: a pure function of the request. Workers give a concrete result,
 * Thinkers a plan with both suggestion tags, Verifiers accept at the first judgement. A task that holds
 * the word "revise" is sent back once, so that a rehearsal can show a revision too.
 */
export function rehearsalReply(request: StreamRequest): RehearsalReply {
  const last = request.view.messages.at(-1)?.content ?? '';
  return replies[request.role](taskOf(last), last, request.slot);
}

const replies: Readonly<
  Record<RoleName, (task: string, last: string, slot: number) => RehearsalReply>
> = {
  Worker: (task, last, slot) => ({
    reasoning: `Reading the task and what was said before it. Slot ${slot} takes the next concrete step.`,
    text: wasSentBack(last)
      ? `Here is the corrected result for “${task}”.\n\n` +
        `1. The point that the check found is put right.\n` +
        `2. The rest stands as it was.\n\n**Result:** rehearsed, corrected, by slot ${slot}.`
      : `Here is a first result for “${task}”.\n\n` +
        `1. The task is read and its parts are named.\n` +
        `2. Each part is answered in one sentence.\n\n**Result:** rehearsed by slot ${slot}.`,
  }),
  Thinker: (task) => ({
    reasoning: 'Looking for the shortest way to a result that can be checked.',
    text:
      `Plan for “${task}”: name the parts, answer each, then have the whole checked.\n\n` +
      `<suggestion>Answer each part in one sentence, then check the whole.</suggestion>\n` +
      `<suggested_role>solver</suggested_role>`,
  }),
  Verifier: (task, last) => ({
    reasoning: 'Comparing the result with what was asked.',
    text:
      /\brevise\b/i.test(task) && !wasSentBack(last)
        ? `REVISE: the result for “${task}” leaves one part open.`
        : `ACCEPT: the result answers “${task}” in every part.`,
  }),
};

/** Earlier turns are quoted behind `> `; a verdict of REVISE begins its turn. */
function wasSentBack(last: string): boolean {
  return /^>\s*REVISE\b/m.test(last);
}

const shownCharacters = 80;

/** The task, which ends the last message: its last line that holds text, shortened by whole characters. */
function taskOf(last: string): string {
  const line = last.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const characters = [...new Intl.Segmenter().segment(line.slice(0, 2_000))].map(
    ({ segment }) => segment,
  );
  return characters.length <= shownCharacters
    ? characters.join('')
    : `${characters.slice(0, shownCharacters).join('')}…`;
}
