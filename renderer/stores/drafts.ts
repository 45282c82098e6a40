import { messageLimit } from '../../contracts/app/chat.ts';
import { newDraftItem, newDraftKey } from './draft-state.ts';
import type { Session } from './session.ts';

/** How long a draft rests before it is saved. */
const saveAfterMs = 400;

/**
 * Keeps the unsent text of a conversation, and saves it once it has rested. The text of a conversation
 * that does not exist yet stays in this browser.
 */
export function setDraft(session: Session, conversationId: string | null, text: string): void {
  const key = conversationId ?? newDraftKey;
  const { texts, waiting } = session.drafts.getState();
  if ((texts[key] ?? '') === text) return;
  waiting.get(key)?.();
  const cancel = session.ports.after(saveAfterMs, () => save(session, key));
  session.drafts.setState({
    texts: { ...texts, [key]: text },
    waiting: new Map(waiting).set(key, cancel),
  });
}

/** Gives the text of the conversation that did not exist yet to the one that was created for it. */
export function moveNewDraft(session: Session, conversationId: string): void {
  const text = session.drafts.getState().texts[newDraftKey] ?? '';
  if (text === '') return;
  setDraft(session, conversationId, text);
  setDraft(session, null, '');
}

/** Saves at once what waits: the page is going away, or the message was taken. */
export function flushDrafts(session: Session): void {
  for (const [key, cancel] of session.drafts.getState().waiting) {
    cancel();
    save(session, key);
  }
}

function save(session: Session, key: string): void {
  const { texts, waiting } = session.drafts.getState();
  const rest = new Map(waiting);
  rest.delete(key);
  session.drafts.setState({ waiting: rest });
  const text = (texts[key] ?? '').slice(0, messageLimit);
  if (key !== newDraftKey) {
    // An unsaved draft is still in the page; the next change, or the way back online, saves it again.
    void session.client.chat.saveDraft({ id: key, text }).catch(() => undefined);
  } else if (text === '') session.ports.memory.removeItem(newDraftItem);
  else session.ports.memory.setItem(newDraftItem, text);
}
