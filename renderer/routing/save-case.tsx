import { useId, useState } from 'react';
import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { saveTurnAsCase } from '../stores/save-case.ts';
import { usePart, useSession } from '../stores/use-session.ts';

/** Keeps what the router read in a turn as a case that an evaluation can route again. */
export function SaveCase({ run, turn }: { run: RunRecord; turn: TurnRecord }) {
  const session = useSession();
  const [expectChoice, setExpectChoice] = useState(false);
  const wordsId = useId();
  const saved = usePart('inspector', ({ savedTurn }) =>
    savedTurn?.runId === run.id && savedTurn.turn === turn.turn ? savedTurn : null,
  );
  const save = () =>
    void saveTurnAsCase(session, {
      conversationId: run.conversationId,
      runId: run.id,
      turn: turn.turn,
      expectChoice,
    });
  return (
    <section className="facts save-case">
      <h3>Evaluation</h3>
      <p id={wordsId}>
        Keeps the text that was routed, so that an evaluation routes it again. From a copy of the
        sources: <code>npm run -s trinity -- eval --suite saved</code>.
      </p>
      <label className="save-case__expect">
        <input
          type="checkbox"
          checked={expectChoice}
          onChange={({ currentTarget }) => setExpectChoice(currentTarget.checked)}
        />
        Expect the slot and role that the router chose
      </label>
      <button
        type="button"
        className="button button--small"
        aria-describedby={wordsId}
        disabled={saved?.phase === 'saving' || saved?.phase === 'saved'}
        onClick={save}
      >
        Save as evaluation case
      </button>
      <p role="status" className="save-case__outcome" data-failed={saved?.phase === 'failed'}>
        {saved?.phase === 'saved' ? `Saved in ${saved.path}` : (saved?.failure?.message ?? '')}
      </p>
    </section>
  );
}
