import { followLiveRuns, refreshConversation } from './chat.ts';
import { keepConnected } from './connection.ts';
import { followChanges } from './conversations.ts';
import { loadRouters, watchRouter } from './router.ts';
import type { Session } from './session.ts';
import { loadSettings } from './settings.ts';
import { loadSlots } from './slots.ts';

/** Connects and keeps every store up to date until `signal` aborts. */
export function begin(session: Session, signal: AbortSignal): Promise<void> {
  return keepConnected(session, (live) => onOpen(session, live), signal);
}

/** After each connection: everything is read again, the open conversation goes on where it was. */
function onOpen(session: Session, live: AbortSignal): void {
  void followChanges(session, live);
  void watchRouter(session, live);
  void loadSettings(session);
  void loadSlots(session);
  void loadRouters(session);
  const { conversationId } = session.chat.getState();
  const refreshed =
    conversationId === null ? Promise.resolve() : refreshConversation(session, conversationId);
  void refreshed.then(() => {
    if (!live.aborted) followLiveRuns(session, live);
  });
}
