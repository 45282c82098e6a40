import type { Settings } from '../../contracts/settings.ts';
import { Segments } from '../controls/segments.tsx';
import { changeSettings } from '../stores/settings.ts';
import { usePart, useSession } from '../stores/use-session.ts';

const options = [
  { value: 'rehearsal', label: 'Rehearsal agents' },
  { value: 'slots', label: 'Your agents' },
] as const;

const explanations: Readonly<Record<Settings['agents'], string>> = {
  rehearsal:
    'Scripted agents answer in their roles, on this computer. Good for watching the router; no answer is real.',
  slots: 'The models bound on the Agents page answer. What you write is sent to their providers.',
};

/** Who answers: scripted rehearsal, or what the person bound. */
export function AgentsChoice() {
  const session = useSession();
  const agents = usePart('settings', ({ settings }) => settings?.agents ?? null);
  const isUnbound = usePart('slots', ({ slots }) => slots.every(({ binding }) => binding === null));
  if (agents === null) return null;
  return (
    <div className="agents-choice">
      <Segments
        label="Who answers"
        options={options}
        value={agents}
        onChange={(value) => void changeSettings(session, { agents: value })}
      />
      <p className="muted">
        {explanations[agents]}
        {agents === 'slots' && isUnbound
          ? ' No slot is bound yet, so no message can be answered.'
          : ''}
      </p>
    </div>
  );
}
