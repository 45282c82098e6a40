import { IconButton } from '../controls/icon-button.tsx';
import { usePart, useSession } from '../stores/use-session.ts';
import { setSidebarOpen, showPage } from '../stores/view.ts';

/** Title of a page other than the chat, and the way back. */
export function PageHeader({ title }: { title: string }) {
  const session = useSession();
  const isOpen = usePart('view', (state) => state.sidebarOpen);
  return (
    <header className="topbar">
      <span className="topbar__menu">
        <IconButton
          icon="menu"
          label="Conversations"
          aria-expanded={isOpen}
          onClick={() => setSidebarOpen(session, !isOpen)}
        />
      </span>
      <h1 className="topbar__title">{title}</h1>
      <button
        type="button"
        className="button button--quiet button--small"
        onClick={() => showPage(session, 'chat')}
      >
        Back to the conversation
      </button>
    </header>
  );
}
