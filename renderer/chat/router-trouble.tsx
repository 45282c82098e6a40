import { Icon } from '../controls/icon.tsx';
import { loadRouters } from '../stores/router.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { showPage } from '../stores/view.ts';

/** Says above the composer when the router cannot decide, and what can be done. */
export function RouterTrouble() {
  const session = useSession();
  const failure = usePart('router', ({ router }) =>
    router?.phase.state === 'failed' ? router.phase.failure : null,
  );
  if (failure === null) return null;
  const toSettings = () => {
    showPage(session, 'settings');
    void loadRouters(session);
  };
  return (
    <div className="trouble" role="alert">
      <Icon name="warning" />
      <p>
        <strong>The router is not running.</strong> {failure.message}
      </p>
      <button type="button" className="button button--small" onClick={toSettings}>
        Choose a router
      </button>
    </div>
  );
}
