import type { Pins } from '../../contracts/app/chat.ts';
import { openRun } from '../../contracts/fold-run.ts';
import { liveRun, noConversation, withConversation, withRun } from './chat-state.ts';
import { setDraft } from './drafts.ts';
import { ensureConversation } from './ensure-conversation.ts';
import { failureOf } from './failure.ts';
import { followRun } from './follow-run.ts';
import { followLatest } from './inspector.ts';
import { loadFloors } from './router.ts';
import type { Session } from './session.ts';
import { report } from './view.ts';

/** Before a stream that broke while the connection stands is attached again. */
const attachAgainMs = 400;

/** Shows a conversation; null shows the empty page from which a new one begins. */
export async function openConversation(session: Session, id: string | null): Promise<void> {
  if (session.chat.getState().conversationId === id) return;
  followLatest(session);
  session.chat.setState(
    id === null
      ? noConversation
      : {
          ...noConversation,
          conversationId: id,
          title: titleInList(session, id),
          phase: 'loading',
        },
    true,
  );
  if (id !== null) await refreshConversation(session, id);
}

/** Fetches the open conversation again and merges what the host tells; others are left alone. */
export async function refreshConversation(session: Session, id: string): Promise<void> {
  const isOpen = () => session.chat.getState().conversationId === id;
  if (!isOpen()) return;
  try {
    const told = await session.client.chat.get({ id });
    if (!isOpen()) return;
    session.chat.setState((state) => withConversation(state, told), true);
    if (told.draft !== '' && session.drafts.getState().texts[id] === undefined) {
      session.drafts.setState(({ texts }) => ({ texts: { ...texts, [id]: told.draft } }));
    }
  } catch (error) {
    if (!isOpen()) return;
    const failure = failureOf(error);
    // Without a connection it goes on loading: the next one asks again.
    if (failure.code === 'not_connected' || failure.code === 'interrupted') return;
    if (failure.code === 'not_found') {
      // Also when it was shown until now: another window deleted it while this page was not connected.
      session.chat.setState({ ...noConversation, conversationId: id, phase: 'missing' }, true);
      return;
    }
    session.chat.setState((state) =>
      state.phase === 'loading' ? { phase: 'failed', failure } : state,
    );
  }
}

/**
 * Starts a run with a message. The draft is cleared only once the host has taken the message, so that a
 * refused one is still in the composer.
 *
 * @returns true when a run began
 */
export async function sendMessage(session: Session, text: string, pins: Pins): Promise<boolean> {
  const state = session.chat.getState();
  if (text.trim() === '' || state.sending !== null || liveRun(state) !== null) return false;
  session.chat.setState({ sending: text });
  try {
    const conversationId = await ensureConversation(session);
    const { runId } = await session.client.chat.start({ conversationId, text, pins });
    setDraft(session, conversationId, '');
    followLatest(session);
    void loadFloors(session);
    if (session.chat.getState().conversationId === conversationId) {
      const { agents } = session.settings.getState().settings ?? { agents: 'rehearsal' };
      const startedAt = session.ports.now();
      const run = openRun({ id: runId, conversationId, task: text, agents, startedAt });
      session.chat.setState((now) =>
        now.runs.some(({ id }) => id === runId) ? now : { runs: withRun(now.runs, run) },
      );
    }
    return true;
  } catch (error) {
    report(session, 'The message was not sent.', failureOf(error));
    return false;
  } finally {
    session.chat.setState({ sending: null });
  }
}

/** Sets what every agent is told in the open conversation. It is created where the page has none yet. */
export async function setSystemPrompt(session: Session, text: string): Promise<boolean> {
  try {
    const id = await ensureConversation(session);
    await session.client.chat.setSystemPrompt({ id, text });
    session.chat.setState((state) =>
      state.conversationId === id ? { systemPrompt: text } : state,
    );
    return true;
  } catch (error) {
    report(session, 'The instructions were not stored.', failureOf(error));
    return false;
  }
}

/** Asks the host to stop the run that is going on. What was produced stays. */
export async function stopRun(session: Session): Promise<void> {
  const run = liveRun(session.chat.getState());
  if (run === null) return;
  session.chat.setState(({ stopping }) => ({ stopping: [...stopping, run.id] }));
  try {
    await session.client.chat.stop({ runId: run.id });
  } catch (error) {
    session.chat.setState(({ stopping }) => ({ stopping: stopping.filter((id) => id !== run.id) }));
    report(session, 'The run could not be stopped.', failureOf(error));
  }
}

/** Follows whichever run of the open conversation is live, until `live` aborts. */
export function followLiveRuns(session: Session, live: AbortSignal): void {
  let following: { readonly runId: string; readonly stop: AbortController } | null = null;

  const look = () => {
    const runId = liveRun(session.chat.getState())?.id ?? null;
    if (following?.runId === runId) return;
    following?.stop.abort();
    following = runId === null ? null : { runId, stop: new AbortController() };
    if (following !== null && runId !== null) {
      void followToEnd(session, runId, AbortSignal.any([live, following.stop.signal]));
    }
  };
  const unsubscribe = session.chat.subscribe(look);
  live.addEventListener('abort', unsubscribe, { once: true });
  look();
}

async function followToEnd(session: Session, runId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const end = await followRun(session, runId, signal);
    if (end === 'ended' || signal.aborted) return;
    await new Promise<void>((resolve) => {
      session.ports.after(attachAgainMs, resolve);
    });
    if (signal.aborted) return;
    // The record says whether the run goes on: a crash may have ended it without an event.
    const { conversationId } = session.chat.getState();
    if (conversationId !== null) await refreshConversation(session, conversationId);
  }
}

function titleInList(session: Session, id: string): string {
  const { conversations } = session.conversations.getState();
  return conversations.find((summary) => summary.id === id)?.title ?? '';
}
