import { useEffect } from 'react';
import { ChatPage } from '../chat/chat-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { SlotsPage } from '../slots/slots-page.tsx';
import { usePart, useSession } from '../stores/use-session.ts';
import { setSidebarOpen } from '../stores/view.ts';
import { ConnectionBar } from './connection-bar.tsx';
import { NeedsAddress } from './needs-address.tsx';
import { Notices } from './notices.tsx';
import { ShortcutDialog } from './shortcut-dialog.tsx';
import { Sidebar } from './sidebar.tsx';
import { useShortcuts } from './use-shortcuts.ts';

/** The whole window. */
export function Shell() {
  const session = useSession();
  const page = usePart('view', (state) => state.page);
  const sidebarOpen = usePart('view', (state) => state.sidebarOpen);
  const shortcutsOpen = usePart('view', (state) => state.shortcutsOpen);
  const needsAddress = usePart('connection', ({ phase }) => phase.state === 'needs-address');
  useTheme();
  useTitle();
  useShortcuts(session);
  if (needsAddress) return <NeedsAddress />;
  return (
    <div className="shell">
      <a className="skip-link" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <Sidebar />
      <button
        type="button"
        className="veil veil--sidebar"
        data-open={sidebarOpen}
        tabIndex={-1}
        aria-hidden="true"
        onClick={() => setSidebarOpen(session, false)}
      />
      <ConnectionBar />
      <div className={page === 'chat' ? 'shell__page shell__page--chat' : 'shell__page'}>
        {page === 'chat' ? <ChatPage /> : null}
        {page === 'slots' ? <SlotsPage /> : null}
        {page === 'settings' ? <SettingsPage /> : null}
      </div>
      <Notices />
      {shortcutsOpen ? <ShortcutDialog /> : null}
    </div>
  );
}

/** The address names what is open, so a fragment of its own must not replace it. */
function focusMain(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function useTheme(): void {
  const theme = usePart('settings', (state) => state.theme);
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
}

function useTitle(): void {
  const title = usePart('chat', (state) => state.title);
  useEffect(() => {
    document.title = title === '' ? 'Trinity Desktop' : `${title} · Trinity Desktop`;
  }, [title]);
}
