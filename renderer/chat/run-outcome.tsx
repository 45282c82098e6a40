import { memo, Suspense } from 'react';
import type { RunRecord } from '../../contracts/stored.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { FactChip } from '../controls/fact-chip.tsx';
import { Icon } from '../controls/icon.tsx';
import { useSlotNames } from '../routing/slot-name.ts';
import { MarkdownText } from './markdown-text.tsx';
import { PlainText } from './plain-text.tsx';
import {
  answeringTurn,
  asSentence,
  noAnswerWords,
  runOutcome,
  runSummary,
  verdictWords,
} from './turn-words.ts';

/** How a run ended: the answer with its verdict beside it, or plainly that there is none and why. */
export const RunOutcome = memo(function RunOutcome({ run }: { run: RunRecord }) {
  const nameOf = useSlotNames(run.agents);
  if (run.status === 'running') return null;
  const outcome = runOutcome(run);
  const source = answeringTurn(run);
  const slot = source?.slot ?? null;
  const by = source === null || slot === null ? '' : `by ${nameOf(slot)}, turn ${source.turn}`;
  return (
    <section
      className={run.answer === null ? 'outcome outcome--none' : 'outcome'}
      data-tone={outcome.tone}
      aria-label={run.answer === null ? 'How the run ended' : 'Answer'}
    >
      <header className="outcome__head">
        <h3 className="outcome__title">{run.answer === null ? 'No answer' : 'Answer'}</h3>
        <span className="outcome__by">
          {by === '' ? '' : `${by} · `}
          {runSummary(run)}
        </span>
        <FactChip tone={outcome.tone}>
          {outcome.tone === 'good' ? <Icon name="check" size={12} /> : null}
          {outcome.text}
        </FactChip>
        {run.answer === null ? null : (
          <CopyButton text={run.answer} label="Copy the answer as Markdown" />
        )}
      </header>
      {run.answer === null ? (
        <p className="outcome__reason">{run.message ?? noAnswerWords(run)}</p>
      ) : (
        <MarkdownText text={run.answer} />
      )}
      {run.answer !== null && run.message !== null ? (
        <p className="outcome__reason">{run.message}</p>
      ) : null}
      <VerdictLine run={run} />
    </section>
  );
});

function VerdictLine({ run }: { run: RunRecord }) {
  if (run.verdict === null) return null;
  const { status } = run.verdict;
  const diagnosis = asSentence(run.verdict.diagnosis ?? '');
  return (
    <p className="outcome__verdict" dir="auto">
      <strong>Verifier: {verdictWords[status].text.toLowerCase()}.</strong>{' '}
      <Suspense fallback={diagnosis}>
        <PlainText source={diagnosis} />
      </Suspense>
    </p>
  );
}
