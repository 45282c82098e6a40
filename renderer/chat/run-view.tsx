import { memo, useState } from 'react';
import type { RunRecord } from '../../contracts/stored.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { TurnCard } from './turn-card.tsx';
import { answeringTurn } from './turn-words.ts';

type Props = { run: RunRecord; inspectedTurn: number | null };

/** One run: the message, the turns it took, and how it ended. */
export const RunView = memo(function RunView({ run, inspectedTurn }: Props) {
  const source = answeringTurn(run);
  const isWaiting = run.status === 'running' && run.turns.length === 0;
  return (
    <section className="run" aria-label={`Message: ${run.task.slice(0, 80)}`}>
      <UserMessage text={run.task} />
      <div className="run__turns">
        {run.turns.map((turn) => (
          <TurnCard
            key={turn.turn}
            run={run}
            turn={turn}
            isInspected={turn.turn === inspectedTurn}
            isAnswer={turn === source}
          />
        ))}
        {isWaiting ? (
          <p className="turn__waiting turn__waiting--first">
            <span className="spinner" aria-hidden="true" />
            Starting…
          </p>
        ) : null}
      </div>
      <RunOutcome run={run} />
    </section>
  );
});

const foldAbove = 900;

/** What the person wrote, as it was written. A long one shows its beginning first. */
export function UserMessage({ text, isSending = false }: { text: string; isSending?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = text.length > foldAbove || text.split('\n').length > 14;
  return (
    <div className="message" data-sending={isSending}>
      <h2 className="visually-hidden">You</h2>
      <div className={isLong && !isOpen ? 'message__text message__text--folded' : 'message__text'}>
        {text}
      </div>
      <div className="message__tools">
        {isLong ? (
          <button
            type="button"
            className="link-button"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? 'Show less' : 'Show all'}
          </button>
        ) : null}
        <CopyButton text={text} label="Copy your message" />
      </div>
    </div>
  );
}
