import { withConversation } from './chat-state.ts';
import type { Session } from './session.ts';

/** Id of the open conversation, created where the page has none yet. */
export async function ensureConversation(session: Session): Promise<string> {
  const { conversationId } = session.chat.getState();
  if (conversationId !== null) return conversationId;
  const created = await session.client.chat.create({});
  session.chat.setState((state) => withConversation({ ...state, runs: [] }, created), true);
  return created.id;
}
