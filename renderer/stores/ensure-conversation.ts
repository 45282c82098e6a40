import { withConversation } from './chat-state.ts';
import { moveNewDraft } from './drafts.ts';
import type { Session } from './session.ts';

/**
 * Id of the open conversation, created where the page has none yet. The unsent text moves into it, so
 * that it stays in the composer. Whoever asks meanwhile gets the same conversation.
 */
export async function ensureConversation(session: Session): Promise<string> {
  const { conversationId, creating } = session.chat.getState();
  if (conversationId !== null) return conversationId;
  if (creating !== null) return creating;
  const created = create(session);
  session.chat.setState({ creating: created });
  try {
    return await created;
  } finally {
    session.chat.setState((state) => (state.creating === created ? { creating: null } : state));
  }
}

async function create(session: Session): Promise<string> {
  const created = await session.client.chat.create({});
  session.chat.setState((state) => withConversation({ ...state, runs: [] }, created), true);
  moveNewDraft(session, created.id);
  return created.id;
}
