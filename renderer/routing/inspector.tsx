import { IconButton } from '../controls/icon-button.tsx';
import { useDrawerFocus } from '../controls/use-drawer-focus.ts';
import { inspectedTurn, turnsOf } from '../stores/inspector-state.ts';
import { followLatest, stepTurn } from '../stores/inspector.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { setInspectorOpen } from '../stores/view.ts';
import { TurnInspection } from './turn-inspection.tsx';
import { WhatIfPanel } from './what-if-panel.tsx';

/** The decision behind one turn: the latest, one that was chosen, or a preview. */
export function Inspector() {
  const session = useSession();
  const isOpen = usePart('view', (state) => state.inspectorOpen);
  const isWhatIf = usePart('inspector', (state) => state.whatIf !== null);
  const drawer = useDrawerFocus(isOpen);
  return (
    <aside ref={drawer} className="inspector" data-open={isOpen} aria-label="Routing inspector">
      <header className="inspector__head">
        <h2>Routing</h2>
        {isWhatIf ? null : <TurnStepper />}
        <span className="inspector__close">
          <IconButton
            icon="close"
            data-closes
            label="Close the routing inspector"
            onClick={() => setInspectorOpen(session, false)}
          />
        </span>
      </header>
      <div className="inspector__body">{isWhatIf ? <WhatIfPanel /> : <Inspected />}</div>
    </aside>
  );
}

function Inspected() {
  const runs = usePart('chat', (state) => state.runs);
  const { chosen, index } = usePart('inspector', ({ chosen: turn, decisionIndex }) => ({
    chosen: turn,
    index: decisionIndex,
  }));
  const shown = inspectedTurn(runs, chosen);
  if (shown === null) return <NothingYet />;
  return <TurnInspection run={shown.run} turn={shown.turn} decisionIndex={index} />;
}

function TurnStepper() {
  const session = useSession();
  const runs = usePart('chat', (state) => state.runs);
  const chosen = usePart('inspector', (state) => state.chosen);
  const all = turnsOf(runs);
  const shown = inspectedTurn(runs, chosen);
  const at = all.findIndex(({ run, turn }) => run === shown?.run && turn === shown.turn);
  if (shown === null) return null;
  const isLast = at === all.length - 1;
  return (
    <div className="inspector__steps">
      <IconButton
        isSmall
        icon="chevronLeft"
        label="Previous turn"
        disabled={at <= 0}
        onClick={() => stepTurn(session, -1)}
      />
      <span className="numeric">
        turn {at + 1} of {all.length}
      </span>
      <IconButton
        isSmall
        icon="chevronRight"
        label="Next turn"
        disabled={isLast}
        onClick={() => stepTurn(session, 1)}
      />
      {chosen === null ? null : (
        <button type="button" className="link-button" onClick={() => followLatest(session)}>
          Latest
        </button>
      )}
    </div>
  );
}

function NothingYet() {
  return (
    <div className="inspector__empty">
      <div className="ghost-bars" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
        <i />
        <i />
        <i />
      </div>
      <p>
        Every turn’s decision appears here: how much the router leaned to each agent and role, and
        how sure it was.
      </p>
    </div>
  );
}
