import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { Segments } from '../controls/segments.tsx';
import { showDecision } from '../stores/inspector.ts';
import { useSession } from '../stores/use-session.ts';
import { DecisionFacts } from './decision-facts.tsx';
import { DecisionView } from './decision-view.tsx';
import { MarginPanel } from './margin-panel.tsx';
import { SaveCase } from './save-case.tsx';
import { useSlotNames } from './slot-name.ts';

type Props = { run: RunRecord; turn: TurnRecord; decisionIndex: number | null };

/** Everything the page knows of one turn's decision. */
export function TurnInspection({ run, turn, decisionIndex }: Props) {
  const session = useSession();
  const nameOf = useSlotNames(run.agents);
  const index = Math.min(decisionIndex ?? Infinity, turn.decisions.length - 1);
  const decision = turn.decisions[index];
  if (decision === undefined) {
    return (
      <>
        <p className="inspector__waiting">
          {run.status === 'running' ? (
            <>
              <span className="spinner" aria-hidden="true" />
              The router reads the conversation…
            </>
          ) : (
            'This turn ended before the router had decided.'
          )}
        </p>
        <MarginPanel />
      </>
    );
  }
  return (
    <>
      {turn.decisions.length < 2 ? null : (
        <div className="inspector__choices">
          <Segments
            label="Decision of this turn"
            value={String(index)}
            options={turn.decisions.map((_, at) => ({
              value: String(at),
              label: at === 0 ? 'First choice' : 'Selected again',
            }))}
            onChange={(value) => showDecision(session, Number(value))}
          />
        </div>
      )}
      <DecisionView decision={decision} nameOf={nameOf} />
      <MarginPanel />
      <DecisionFacts decision={decision} turn={turn} />
      <SaveCase key={`${run.id}/${turn.turn}`} run={run} turn={turn} />
    </>
  );
}
