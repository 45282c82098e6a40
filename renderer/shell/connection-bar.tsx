import { usePart } from '../stores/use-session.ts';

/** Says that the connection to the program is lost, that it comes back by itself, and that nothing is. */
export function ConnectionBar() {
  const { phase, wasOpen, retryNow } = usePart('connection', (state) => state);
  if (phase.state !== 'lost') return <div className="connection" role="status" />;
  return (
    <div className="connection connection--lost" role="status">
      <span className="spinner" aria-hidden="true" />
      <p>{lostWords(wasOpen, phase.hostEnded)}</p>
      {retryNow === null ? null : (
        <button type="button" className="button button--small" onClick={retryNow}>
          Try now
        </button>
      )}
    </div>
  );
}

function lostWords(wasOpen: boolean, hostEnded: boolean): string {
  if (!wasOpen) return 'The program does not answer yet.';
  return hostEnded
    ? 'The program was closed. Everything is kept; this page goes on once it is started again.'
    : 'The connection to the program is lost. Runs go on there; this page picks them up again.';
}
