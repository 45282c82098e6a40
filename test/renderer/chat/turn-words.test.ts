import { describe, expect, it } from 'vitest';
import { foldRun, openRun } from '../../../contracts/fold-run.ts';
import type { RunRecord, TurnRecord } from '../../../contracts/stored.ts';
import { finishedParts } from '../../../renderer/chat/finished-blocks.tsx';
import {
  answeringTurn,
  asSentence,
  noAnswerWords,
  runOutcome,
  runSummary,
  turnFacts,
  waitingWords,
} from '../../../renderer/chat/turn-words.ts';
import { acceptedRun, decisionOf } from '../../fixtures/run-events.ts';

const story = acceptedRun('r1', ['One.\n\n', 'Two.']);
const after = (events: number): RunRecord =>
  story
    .slice(0, events)
    .reduce(
      foldRun,
      openRun({ id: 'r1', conversationId: 'c1', task: 'Q', agents: 'rehearsal', startedAt: 0 }),
    );
const whole = after(story.length);
const firstTurn = (run: RunRecord) => run.turns[0] as TurnRecord;

describe('what is said of a turn', () => {
  it('is what it waits for, until there is text', () => {
    const words = (events: number) => waitingWords(firstTurn(after(events)), after(events), 'Ada');
    expect(words(2)).toBe('The router reads the conversation…');
    expect(words(3)).toBe('Waiting for Ada…');
    expect(words(5)).toBe('Ada is thinking…');
    expect(words(6)).toBeNull();
  });

  it('is that a text is partial, once the run is over and never while it runs', () => {
    const running = after(6);
    expect(turnFacts(firstTurn(running), running)).toEqual([]);
    const stopped: RunRecord = { ...running, status: 'stopped' };
    expect(turnFacts(firstTurn(stopped), stopped)).toEqual([
      { text: 'Partial text: stopped', tone: 'caution' },
    ]);
  });

  it('is the verdict, and a cut at the token limit', () => {
    const verifier = whole.turns[1] as TurnRecord;
    expect(turnFacts(verifier, whole)).toEqual([{ text: 'Accepted', tone: 'good' }]);
    const cut = { ...firstTurn(whole), finishReason: 'length' as const };
    expect(turnFacts(cut, whole)).toEqual([{ text: 'Cut at the token limit', tone: 'caution' }]);
  });
});

describe('what is said of a run', () => {
  it.each([
    ['accepted', null, 'Accepted by the Verifier'],
    ['max_turns', null, 'Turn limit reached, not accepted'],
    ['budget', 'cost', 'Cost limit used up, not accepted'],
    ['stopped', null, 'Stopped'],
    ['failed', null, 'Failed'],
  ] as const)('names its ending: %s', (status, budget, text) => {
    expect(runOutcome({ ...whole, status, budget }).text).toBe(text);
  });

  it('says that a pinned role gave no answer', () => {
    const reason = { kind: 'pin' } as const;
    const role = { raw: 'Worker', effective: 'Thinker', reason } as const;
    const pinned = { ...firstTurn(whole), decisions: [decisionOf({ role })] };
    expect(noAnswerWords({ ...whole, turns: [pinned, pinned] })).toMatch(
      /^Every turn went to a Thinker, as you pinned it, and only a Worker gives an answer\./,
    );
    expect(noAnswerWords({ ...whole, turns: [firstTurn(whole), pinned] })).toMatch(
      /^The run ended before a Worker had finished/,
    );
    expect(noAnswerWords({ ...whole, turns: [] })).toMatch(/^The run ended before/);
  });

  it('knows no unknown cost of a run that called nobody', () => {
    const slots = { ...whole, agents: 'slots' as const };
    const called = { ...firstTurn(whole), costUsd: null };
    expect(runSummary({ ...slots, turns: [called] })).toMatch(/cost unknown$/);
    expect(runSummary({ ...slots, turns: [{ ...called, slot: null }] })).not.toContain('cost');
  });

  it('points at the turn whose whole text became the answer', () => {
    expect(answeringTurn(whole)?.turn).toBe(1);
    expect(answeringTurn({ ...whole, answer: null })).toBeNull();
    expect(answeringTurn({ ...whole, answer: 'from an earlier run' })).toBeNull();
  });
});

describe('what is read aloud', () => {
  const spoken = (run: RunRecord) =>
    finishedParts(run).map(({ role, text }) => `${role === null ? '' : `${role}: `}${text.trim()}`);

  it('is a block once another one follows it, and the last one when its turn is complete', () => {
    expect(spoken(after(6))).toEqual([]);
    expect(spoken(after(7))).toEqual(['Worker: One.']);
    expect(spoken(after(9))).toEqual(['Worker: One.', 'Two.']);
  });

  it('ends with how the run ended', () => {
    expect(spoken(whole).at(-1)).toBe('Run over. Accepted by the Verifier.');
  });

  it('never says a part again under another name', () => {
    const ids = new Map<string, string>();
    for (let events = 1; events <= story.length; events += 1) {
      for (const { id, text } of finishedParts(after(events))) {
        expect(ids.get(id) ?? text).toBe(text);
        ids.set(id, text);
      }
    }
  });
});

describe('a diagnosis after the verdict', () => {
  it('begins as a sentence', () => {
    expect(asSentence('the result passes the check.')).toBe('The result passes the check.');
    expect(asSentence('a step is missing')).toBe('A step is missing');
  });

  it.each(['The sum is right.', 'x = 3 is right.', '`sum` is right.', 'été()', ''])(
    'stays as it is when it begins with no lower-case word: %j',
    (text) => expect(asSentence(text)).toBe(text),
  );
});
