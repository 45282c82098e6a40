import { openConversation } from '../stores/chat.ts';
import type { Session } from '../stores/session.ts';
import { showPage } from '../stores/view.ts';

/** Characters of an id that a host looks at. */
const idLimit = 100;

/**
 * Keeps what is open in the address's fragment, so that a reload, a second tab and the back button come to
 * the same place. Call once, before the first paint.
 */
export function followAddress(session: Session): void {
  const read = () => {
    const [, kind, id] = /^#\/(c|slots|settings|new)(?:\/(.+))?$/.exec(location.hash) ?? [];
    if (kind === 'slots' || kind === 'settings') showPage(session, kind);
    else {
      showPage(session, 'chat');
      // Whatever stands there is asked for: the page says that there is no such conversation.
      void openConversation(session, kind === 'c' ? (id?.slice(0, idLimit) ?? null) : null);
    }
  };
  const write = () => {
    const { page } = session.view.getState();
    const { conversationId } = session.chat.getState();
    const place = page !== 'chat' ? page : conversationId === null ? 'new' : `c/${conversationId}`;
    if (location.hash !== `#/${place}`) history.pushState(null, '', `#/${place}`);
  };
  read();
  window.addEventListener('popstate', read);
  window.addEventListener('hashchange', read);
  session.view.subscribe(write);
  session.chat.subscribe(write);
}
