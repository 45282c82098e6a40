import { leaveWhatIf, toggleWhatIfSlot } from '../stores/inspector.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { DecisionFacts } from './decision-facts.tsx';
import { DecisionView } from './decision-view.tsx';
import { useSlotNames } from './slot-name.ts';

/** What the router would choose for the text in the composer. Nobody is called and nothing is kept. */
export function WhatIfPanel() {
  const session = useSession();
  const whatIf = usePart('inspector', (state) => state.whatIf);
  const agents = usePart('settings', ({ settings }) => settings?.agents ?? 'rehearsal');
  const nameOf = useSlotNames(agents);
  if (whatIf === null) return null;
  const { decision, phase, failure, disabledSlots } = whatIf;
  return (
    <>
      <div className="what-if" data-routing={phase === 'routing'}>
        <p>
          <strong>Preview.</strong> Nobody is called. It follows what you type; untick agents to see
          who would take over.
        </p>
        <button type="button" className="button button--small" onClick={() => leaveWhatIf(session)}>
          Close preview
        </button>
      </div>
      {phase === 'empty' ? (
        <p className="inspector__waiting" role="status">
          Type something to preview.
        </p>
      ) : null}
      {decision === null && phase === 'routing' ? (
        <p className="inspector__waiting">
          <span className="spinner" aria-hidden="true" />
          The router reads the conversation…
        </p>
      ) : null}
      {failure === null ? null : (
        <div className="what-if__failure" role="alert">
          <p>{failure.message}</p>
          {disabledSlots.length === 0 ? null : (
            <button
              type="button"
              className="button button--small"
              onClick={() => void toggleWhatIfSlot(session, disabledSlots.at(-1) ?? 0)}
            >
              Take {nameOf(disabledSlots.at(-1) ?? 0)} back in
            </button>
          )}
        </div>
      )}
      {decision === null ? null : (
        <>
          <DecisionView
            decision={decision}
            nameOf={nameOf}
            toggle={{
              disabled: disabledSlots,
              onToggle: (slot) => void toggleWhatIfSlot(session, slot),
            }}
          />
          <DecisionFacts decision={decision} />
        </>
      )}
    </>
  );
}
