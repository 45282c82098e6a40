import { Icon } from '../controls/icon.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { usePart, useSession } from '../stores/use-session.ts';
import { dismiss } from '../stores/view.ts';

/** What did not work, each with its reason, until the person dismisses it. */
export function Notices() {
  const session = useSession();
  const notices = usePart('view', (state) => state.notices);
  return (
    <div className="notices" role="alert">
      {notices.map(({ id, what, failure }) => (
        <div key={id} className={failure === null ? 'notice' : 'notice notice--failure'}>
          <Icon name={failure === null ? 'info' : 'warning'} />
          <p>
            {what} {failure === null ? '' : failure.message}
          </p>
          <IconButton isSmall icon="close" label="Dismiss" onClick={() => dismiss(session, id)} />
        </div>
      ))}
    </div>
  );
}
