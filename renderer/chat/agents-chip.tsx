import { usePart, useSession } from '../stores/use-session.ts';
import { showPage } from '../stores/view.ts';

/** Who answers at the moment, and the way to change it. */
export function AgentsChip() {
  const session = useSession();
  const agents = usePart('settings', ({ settings }) => settings?.agents ?? null);
  const bound = usePart('slots', ({ phase, slots }) =>
    phase === 'ready' ? slots.filter(({ binding }) => binding !== null).length : null,
  );
  if (agents === null || bound === null) return null;
  const { words, title, isCaution } = chipOf(agents, bound);
  return (
    <button
      type="button"
      className={isCaution ? 'chip chip--caution chip--button' : 'chip chip--button'}
      title={title}
      onClick={() => showPage(session, 'slots')}
    >
      {words}
    </button>
  );
}

function chipOf(agents: 'rehearsal' | 'slots', bound: number) {
  if (agents === 'rehearsal') {
    return {
      words: 'Rehearsal agents',
      title: 'Scripted answers, made on this computer. Click to bind real agents.',
      isCaution: true,
    };
  }
  return bound === 0
    ? {
        words: 'No agent bound',
        title: 'No slot is bound, so no message can be answered. Click to bind agents.',
        isCaution: true,
      }
    : {
        words: `${bound} of your agents`,
        title: 'Your own agents answer. Click to change them.',
        isCaution: false,
      };
}
