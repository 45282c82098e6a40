import type { Verdict } from '../../contracts/events.ts';
import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { costText, countText, durationText } from '../routing/numbers.ts';
import type { Fact } from '../controls/fact-chip.tsx';

export const verdictWords: Readonly<Record<Verdict['status'], Fact>> = {
  accepted: { text: 'Accepted', tone: 'good' },
  revised: { text: 'Revision asked', tone: 'caution' },
  unknown: { text: 'No clear verdict', tone: 'caution' },
};

/** A Verifier's diagnosis as a sentence of its own. What begins with no word, such as `x = 3`, stays. */
export function asSentence(diagnosis: string): string {
  return diagnosis.replace(
    /^(?:a|\p{Ll}{2,})(?=[\s,])/u,
    (word) => word.charAt(0).toUpperCase() + word.slice(1),
  );
}

/** What is unusual about a turn's text. Empty for a whole text that ended by itself. */
export function turnFacts(turn: TurnRecord, run: RunRecord): Fact[] {
  const facts: Fact[] = [];
  if (run.status !== 'running' && !turn.complete) {
    const why = run.status === 'stopped' ? 'stopped' : run.status === 'failed' ? 'failed' : 'cut';
    const what = turn.text === '' ? 'No text' : 'Partial text';
    facts.push({ text: `${what}: ${why}`, tone: 'caution' });
  }
  if (turn.finishReason === 'length')
    facts.push({ text: 'Cut at the token limit', tone: 'caution' });
  if (turn.finishReason === 'refusal') facts.push({ text: 'Refused', tone: 'caution' });
  if (turn.verdict !== null) facts.push(verdictWords[turn.verdict.status]);
  if (turn.suggestion !== null) {
    facts.push({ text: `Suggests ${turn.suggestion.role} next`, tone: 'neutral' });
  }
  return facts;
}

/** What goes on in a turn that has no text yet; null once there is text or nothing is going on. */
export function waitingWords(turn: TurnRecord, run: RunRecord, slotName: string): string | null {
  if (run.status !== 'running' || turn.text !== '' || turn.complete) return null;
  if (turn.decisions.length === 0) return 'The router reads the conversation…';
  if (turn.reasoning !== '') return `${slotName} is thinking…`;
  return `Waiting for ${slotName}…`;
}

/** How a run ended, in a few words. */
export function runOutcome(run: RunRecord): Fact {
  switch (run.status) {
    case 'running':
      return { text: 'Running', tone: 'neutral' };
    case 'accepted':
      return { text: 'Accepted by the Verifier', tone: 'good' };
    case 'max_turns':
      return { text: 'Turn limit reached, not accepted', tone: 'caution' };
    case 'budget':
      return {
        text: `${budgetWords[run.budget ?? 'turns']} used up, not accepted`,
        tone: 'caution',
      };
    case 'stopped':
      return { text: 'Stopped', tone: 'caution' };
    case 'failed':
      return { text: 'Failed', tone: 'danger' };
  }
}

const budgetWords = {
  turns: 'Turns',
  calls: 'Provider calls',
  wall_time: 'Time',
  latency: 'Time for one call',
  revisions: 'Revisions',
  cost: 'Cost limit',
} as const;

/** What a run took: turns, time, and cost where providers were paid. */
export function runSummary(run: RunRecord): string {
  const parts = [countText(run.turns.length, 'turn')];
  if (run.endedAt !== null) parts.push(durationText(run.endedAt - run.startedAt));
  // A turn that was never given to a slot called nobody, so it adds nothing that is unknown.
  const called = run.turns.filter(({ slot }) => slot !== null);
  if (run.agents === 'slots' && called.length > 0) {
    const costs = called.map(({ costUsd }) => costUsd);
    const known = costs.filter((cost) => cost !== null);
    const sum = known.reduce((total, cost) => total + cost, 0);
    parts.push(`cost ${known.length === costs.length ? costText(sum) : 'unknown'}`);
  }
  return parts.join(', ');
}

/** Why a run has no answer, where the host says nothing more. */
export function noAnswerWords(run: RunRecord): string {
  const kept = run.turns.some(({ text }) => text !== '')
    ? ' What was said until then is kept above.'
    : '';
  const roles = run.turns.map(({ decisions }) => decisions.at(-1)?.role);
  const pinned = roles.every((role) => role?.reason.kind === 'pin') ? roles[0]?.effective : null;
  return pinned === 'Thinker' || pinned === 'Verifier'
    ? `Every turn went to a ${pinned}, as you pinned it, and only a Worker gives an answer.${kept}`
    : `The run ended before a Worker had finished an answer.${kept}`;
}

/** The turn whose text became the run's answer; null when there is none. */
export function answeringTurn(run: RunRecord): TurnRecord | null {
  if (run.answer === null) return null;
  const whole = (turn: TurnRecord) => turn.role === 'Worker' && turn.complete;
  return run.turns.findLast((turn) => whole(turn) && turn.text === run.answer) ?? null;
}
