import { memo } from 'react';
import { withoutSuggestionTags } from '../../contracts/suggestion-tags.ts';
import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { FactChip } from '../controls/fact-chip.tsx';
import { useSlotNames } from '../routing/slot-name.ts';
import { Foldable } from './foldable.tsx';
import { MarkdownText } from './markdown-text.tsx';
import { Reasoning } from './reasoning.tsx';
import { TurnHeader } from './turn-header.tsx';
import { TurnPath } from './turn-path.tsx';
import { turnFacts, waitingWords } from './turn-words.ts';

type Props = {
  run: RunRecord;
  turn: TurnRecord;
  isInspected: boolean;
  /** True when the same text stands below as the run's answer. */
  isAnswer: boolean;
};

/** One turn: who was chosen and why, what went wrong on the way, and what was said. */
export const TurnCard = memo(function TurnCard({ run, turn, isInspected, isAnswer }: Props) {
  const nameOf = useSlotNames(run.agents);
  const name = turn.slot === null ? null : nameOf(turn.slot);
  const waiting = waitingWords(turn, run, name ?? 'the agent');
  const facts = turnFacts(turn, run);
  const suggestion = turn.suggestion;
  const shown = suggestion === null ? turn.text : withoutSuggestionTags(turn.text);
  const isLive = run.status === 'running' && !turn.complete;
  const who = [turn.role, name].filter((part) => part !== null).join(', ');
  return (
    <article
      className="turn"
      data-role={turn.role ?? undefined}
      data-inspected={isInspected}
      data-live={isLive}
      aria-label={`Turn ${turn.turn}${who === '' ? '' : `: ${who}`}`}
    >
      <TurnHeader run={run} turn={turn} slotName={name} isInspected={isInspected} />
      <TurnPath turn={turn} nameOf={nameOf} />
      {turn.reasoning === '' ? null : (
        <Reasoning text={turn.reasoning} isLive={isLive && turn.text === ''} />
      )}
      {waiting === null ? null : (
        <p className="turn__waiting">
          <span className="spinner" aria-hidden="true" />
          {waiting}
        </p>
      )}
      {shown === '' ? null : (
        <Foldable isFolded={isAnswer} note="This became the answer below.">
          <MarkdownText text={shown} />
        </Foldable>
      )}
      {suggestion === null || suggestion.text === '' ? null : (
        <p className="turn__suggestion" dir="auto">
          <strong>For the {suggestion.role}:</strong> {suggestion.text}
        </p>
      )}
      {facts.length === 0 ? null : (
        <footer className="turn__foot">
          {facts.map((fact) => (
            <FactChip key={fact.text} tone={fact.tone}>
              {fact.text}
            </FactChip>
          ))}
        </footer>
      )}
    </article>
  );
});
