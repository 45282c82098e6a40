import type { Change } from '../../contracts/app/chat.ts';
import { openConversation, refreshConversation } from './chat.ts';
import { failureOf } from './failure.ts';
import { keepFollowing } from './keep-following.ts';
import type { Session } from './session.ts';
import { refreshHealth } from './slots.ts';
import { report } from './view.ts';

const pageSize = 100;
/** Changes that come close together are answered by one look at the list. */
const settleMs = 150;

/** Loads the newest conversations that match the query. An answer to an older query is dropped. */
export async function loadConversations(session: Session): Promise<void> {
  const { query } = session.conversations.getState();
  try {
    const told = await session.client.chat.list({ query, limit: pageSize });
    if (session.conversations.getState().query !== query) return;
    const { conversations, next } = told;
    session.conversations.setState({ conversations, next, phase: 'ready' });
  } catch (error) {
    report(session, 'The conversations could not be listed.', failureOf(error));
  }
}

/** Adds the next page to the list. */
export async function loadMoreConversations(session: Session): Promise<void> {
  const { query, next: before } = session.conversations.getState();
  if (before === null) return;
  try {
    const told = await session.client.chat.list({ query, before, limit: pageSize });
    session.conversations.setState((state) => {
      if (state.query !== query || state.next !== before) return state;
      const known = new Set(state.conversations.map(({ id }) => id));
      const added = told.conversations.filter(({ id }) => !known.has(id));
      return { conversations: [...state.conversations, ...added], next: told.next };
    });
  } catch (error) {
    report(session, 'The list could not be continued.', failureOf(error));
  }
}

export async function searchConversations(session: Session, query: string): Promise<void> {
  session.conversations.setState({ query });
  await loadConversations(session);
}

export async function renameConversation(
  session: Session,
  id: string,
  title: string,
): Promise<boolean> {
  const name = title.trim().slice(0, 200);
  if (name === '') return false;
  try {
    await session.client.chat.rename({ id, title: name });
  } catch (error) {
    report(session, 'The conversation was not renamed.', failureOf(error));
    return false;
  }
  session.conversations.setState(({ conversations }) => ({
    conversations: conversations.map((one) => (one.id === id ? { ...one, title: name } : one)),
  }));
  session.chat.setState((state) => (state.conversationId === id ? { title: name } : state));
  return true;
}

/** Deletes a conversation with all of its runs. The caller has asked the person. */
export async function removeConversation(session: Session, id: string): Promise<boolean> {
  try {
    await session.client.chat.remove({ id });
  } catch (error) {
    report(session, 'The conversation was not deleted.', failureOf(error));
    return false;
  }
  await forget(session, id);
  return true;
}

/**
 * Follows what any window changes, until `live` aborts. Subscribes before it lists, so that nothing falls
 * between.
 */
export async function followChanges(session: Session, live: AbortSignal): Promise<void> {
  const settle = settling(session, () => void loadConversations(session));
  live.addEventListener('abort', settle.cancel, { once: true });
  await keepFollowing(
    session,
    async (signal) => {
      const changes = await session.client.chat.changes({}, { signal });
      settle.touch();
      return changes;
    },
    async (change) => {
      await applyChange(session, change);
      settle.touch();
    },
    live,
  );
}

async function applyChange(session: Session, change: Change): Promise<void> {
  if (change.kind === 'conversation_removed') await forget(session, change.id);
  else await refreshConversation(session, change.id);
  if (change.kind === 'run_ended') void refreshHealth(session);
}

async function forget(session: Session, id: string): Promise<void> {
  session.conversations.setState(({ conversations }) => ({
    conversations: conversations.filter((one) => one.id !== id),
  }));
  if (session.chat.getState().conversationId === id) await openConversation(session, null);
}

function settling(session: Session, act: () => void) {
  let cancel = () => {};
  return {
    touch: () => {
      cancel();
      cancel = session.ports.after(settleMs, act);
    },
    cancel: () => cancel(),
  };
}
