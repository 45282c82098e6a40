import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';
import { CopyButton } from '../controls/copy-button.tsx';
import { FactChip } from '../controls/fact-chip.tsx';
import { Fingerprint } from '../routing/fingerprint.tsx';
import { unsureOf } from '../routing/margin-history.ts';
import { durationText, marginWords } from '../routing/numbers.ts';
import { RoleBadge } from '../routing/role-badge.tsx';
import { inspectTurn } from '../stores/inspector.ts';
import { usePart, useSession } from '../stores/use-session.ts';

type Props = { run: RunRecord; turn: TurnRecord; slotName: string | null; isInspected: boolean };

/** Who speaks in a turn, in which role, over which model, and how sure the router was. */
export function TurnHeader({ run, turn, slotName, isInspected }: Props) {
  const session = useSession();
  const decision = turn.decisions.at(-1);
  const label = usePart('slots', ({ slots }) =>
    turn.slot === null ? null : (slots[turn.slot]?.checkpointLabel ?? null),
  );
  const floors = usePart('router', (state) => state.floors);
  const model = turn.resolvedModel ?? turn.model;
  return (
    <header className="turn__head">
      {turn.role === null ? (
        <span className="role-badge">Turn {turn.turn}</span>
      ) : (
        <RoleBadge role={turn.role} />
      )}
      <div className="turn__who">
        {slotName === null ? null : <h3 className="turn__slot">{slotName}</h3>}
        {model === null ? null : (
          <span
            className="turn__model"
            title={label === null ? undefined : `The checkpoint’s label for this slot: ${label}`}
          >
            {turn.provider === 'rehearsal'
              ? 'rehearsal, no model called'
              : `${model} · ${turn.provider}`}
          </span>
        )}
      </div>
      {decision === undefined ? null : (
        <div className="turn__numbers">
          <FactChip title="Agent margin: how far the highest agent logit is above the second">
            margin {marginWords(decision.agentMargin, unsureOf(decision, floors)?.agent)}
          </FactChip>
          <span className="turn__time numeric" title="Time of the provider call">
            {turn.latencyMs === null ? '' : durationText(turn.latencyMs)}
          </span>
          <button
            type="button"
            className="turn__inspect"
            aria-pressed={isInspected}
            aria-label={`Inspect the routing of turn ${turn.turn}`}
            title="Inspect the routing"
            onClick={() => inspectTurn(session, { runId: run.id, turn: turn.turn })}
          >
            <Fingerprint decision={decision} />
          </button>
          {turn.complete || (run.status !== 'running' && turn.text !== '') ? (
            <CopyButton text={turn.text} label={`Copy turn ${turn.turn} as Markdown`} />
          ) : null}
        </div>
      )}
    </header>
  );
}
