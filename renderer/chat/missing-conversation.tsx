import { openConversation } from '../stores/chat.ts';
import { usePart, useSession } from '../stores/use-session.ts';

/** Stands for a conversation that the address names and the host does not have, with ways on. */
export function MissingConversation() {
  const session = useSession();
  // A list that was searched begins with the newest match.
  const newest = usePart('conversations', ({ query, conversations }) =>
    query === '' ? (conversations[0] ?? null) : null,
  );
  return (
    <div className="transcript__state" role="alert">
      <h2>This conversation does not exist</h2>
      <p>It may have been deleted, or its address was not copied whole.</p>
      <div className="transcript__ways">
        <button
          type="button"
          className="button button--primary"
          onClick={() => void openConversation(session, null)}
        >
          Begin a new one
        </button>
        {newest === null ? null : (
          <button
            type="button"
            className="button"
            title={newest.title}
            onClick={() => void openConversation(session, newest.id)}
          >
            Open the newest
          </button>
        )}
      </div>
    </div>
  );
}
