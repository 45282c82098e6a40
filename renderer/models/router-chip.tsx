import { showPage } from '../stores/view.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { phaseSentence, phaseWords, routerName } from './router-words.ts';

/** Which router decides, that it is a demo where it is one, and what it is doing. */
export function RouterChip() {
  const session = useSession();
  const state = usePart('router', ({ router }) => router);
  if (state === null) return null;
  const words = [state.isDemo ? 'untrained' : '', phaseWords(state)].filter((part) => part !== '');
  const tone = state.phase.state === 'failed' ? 'danger' : state.isDemo ? 'caution' : 'accent';
  const isBusy = state.phase.state !== 'ready' && state.phase.state !== 'failed';
  return (
    <button
      type="button"
      className={`chip chip--${tone} chip--button`}
      title={phaseSentence(state)}
      onClick={() => showPage(session, 'settings')}
    >
      {isBusy && state.phase.state !== 'idle' ? (
        <span className="spinner" aria-hidden="true" />
      ) : null}
      {[routerName(state), ...words].join(', ')}
    </button>
  );
}
