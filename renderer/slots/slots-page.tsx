import { useState } from 'react';
import { PageHeader } from '../shell/page-header.tsx';
import { usePart } from '../stores/use-session.ts';
import { AgentsChoice } from './agents-choice.tsx';
import { BindAllCard } from './bind-all-card.tsx';
import { SlotDialog } from './slot-dialog.tsx';
import { SlotRow } from './slot-row.tsx';

/** What the router's slots call. */
export function SlotsPage() {
  const { slots, phase } = usePart('slots', (state) => ({
    slots: state.slots,
    phase: state.phase,
  }));
  const [editing, setEditing] = useState<number | null>(null);
  const edited = slots.find(({ index }) => index === editing) ?? null;
  return (
    <main className="page" id="main" tabIndex={-1}>
      <PageHeader title="Agents" />
      <div className="page__body">
        <div className="page__column">
          <AgentsChoice />
          {phase === 'loading' ? <p className="muted">Reading the slots…</p> : <BindAllCard />}
          <section aria-labelledby="slot-list">
            <h2 id="slot-list" className="page__section">
              Slots
            </h2>
            <ul className="slots" role="list">
              {slots.map((slot) => (
                <SlotRow key={slot.index} slot={slot} onEdit={() => setEditing(slot.index)} />
              ))}
            </ul>
          </section>
        </div>
      </div>
      {edited === null ? null : <SlotDialog slot={edited} onClose={() => setEditing(null)} />}
    </main>
  );
}
