import { Icon, type IconName } from '../controls/icon.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { useDrawerFocus } from '../controls/use-drawer-focus.ts';
import { openConversation } from '../stores/chat.ts';
import { searchConversations } from '../stores/conversations.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import type { Page } from '../stores/view-state.ts';
import { setShortcutsOpen, setSidebarOpen, showPage } from '../stores/view.ts';
import { ConversationItems } from './conversation-items.tsx';

/** Conversations, and the way to the other pages. */
export function Sidebar() {
  const session = useSession();
  const { isOpen, page } = usePart('view', (state) => ({
    isOpen: state.sidebarOpen,
    page: state.page,
  }));
  const drawer = useDrawerFocus(isOpen);
  const query = usePart('conversations', (state) => state.query);
  const begin = () => {
    showPage(session, 'chat');
    void openConversation(session, null);
    document.getElementById('composer-text')?.focus();
  };
  return (
    <nav ref={drawer} className="sidebar" data-open={isOpen} aria-label="Conversations and pages">
      <div className="sidebar__brand">
        <span className="brand" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        Trinity
        <span className="sidebar__close">
          <IconButton
            icon="close"
            data-closes
            label="Close the list of conversations"
            onClick={() => setSidebarOpen(session, false)}
          />
        </span>
      </div>
      <button type="button" className="button sidebar__new" onClick={begin}>
        <Icon name="plus" size={14} />
        New conversation
      </button>
      <div className="sidebar__search">
        <Icon name="search" size={14} />
        <input
          id="conversation-search"
          type="search"
          className="input"
          placeholder="Search"
          aria-label="Search conversations"
          maxLength={500}
          value={query}
          onChange={(event) => void searchConversations(session, event.target.value)}
        />
      </div>
      <ConversationItems />
      <ul className="sidebar__pages" role="list">
        <PageLink page="slots" icon="slots" label="Agents" current={page} />
        <PageLink page="settings" icon="settings" label="Settings" current={page} />
        <li>
          <button
            type="button"
            className="page-link"
            onClick={() => setShortcutsOpen(session, true)}
          >
            <Icon name="keyboard" />
            Shortcuts
          </button>
        </li>
      </ul>
    </nav>
  );
}

function PageLink(props: { page: Page; icon: IconName; label: string; current: Page }) {
  const session = useSession();
  const isCurrent = props.page === props.current;
  return (
    <li>
      <button
        type="button"
        className="page-link"
        aria-current={isCurrent ? 'page' : undefined}
        onClick={() => showPage(session, isCurrent ? 'chat' : props.page)}
      >
        <Icon name={props.icon} />
        {props.label}
      </button>
    </li>
  );
}
