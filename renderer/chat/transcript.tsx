import { useState } from 'react';
import { Icon } from '../controls/icon.tsx';
import { inspectedTurn } from '../stores/inspector-state.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { refreshConversation } from '../stores/chat.ts';
import { FinishedBlocks } from './finished-blocks.tsx';
import { MissingConversation } from './missing-conversation.tsx';
import { RunView, UserMessage } from './run-view.tsx';
import { useStickToBottom } from './stick-to-bottom.ts';
import { Welcome } from './welcome.tsx';

/** Runs shown at first, and added by "Show earlier": a long conversation opens at its end. */
const runsAtOnce = 30;

/** The conversation, oldest message first, held at its end while an answer grows. */
export function Transcript() {
  const chat = usePart('chat', ({ conversationId, runs, phase, sending }) => ({
    conversationId,
    runs,
    phase,
    sending,
  }));
  const { view, content, isAtEnd, toEnd, onScroll } = useStickToBottom(chat.conversationId ?? '');
  const isEmpty = chat.runs.length === 0 && chat.sending === null;
  return (
    <div className="transcript">
      <div className="transcript__view" ref={view} onScroll={onScroll} tabIndex={-1}>
        <div className="transcript__content" ref={content}>
          {chat.phase === 'ready' && isEmpty ? <Welcome /> : null}
          {chat.phase === 'loading' ? <p className="transcript__state">Opening…</p> : null}
          {chat.phase === 'failed' ? <OpeningFailed /> : null}
          {chat.phase === 'missing' ? <MissingConversation /> : null}
          {chat.phase === 'ready' ? <Runs key={chat.conversationId} /> : null}
          {chat.sending === null ? null : <UserMessage text={chat.sending} isSending />}
        </div>
      </div>
      {isAtEnd ? null : (
        <button type="button" className="button button--small transcript__jump" onClick={toEnd}>
          <Icon name="chevronDown" size={14} />
          To the end
        </button>
      )}
      <FinishedBlocks />
    </div>
  );
}

function Runs() {
  const runs = usePart('chat', (state) => state.runs);
  const chosen = usePart('inspector', (state) => state.chosen);
  const isWhatIf = usePart('inspector', (state) => state.whatIf !== null);
  const [shown, setShown] = useState(runsAtOnce);
  const inspected = isWhatIf ? null : inspectedTurn(runs, chosen);
  const earlier = Math.max(0, runs.length - shown);
  return (
    <>
      {earlier === 0 ? null : (
        <button
          type="button"
          className="button button--small transcript__earlier"
          onClick={() => setShown(shown + runsAtOnce)}
        >
          Show {Math.min(earlier, runsAtOnce)} earlier of {earlier}
        </button>
      )}
      {runs.slice(earlier).map((run) => (
        <RunView
          key={run.id}
          run={run}
          inspectedTurn={inspected?.run === run ? inspected.turn.turn : null}
        />
      ))}
    </>
  );
}

function OpeningFailed() {
  const session = useSession();
  const { id, message } = usePart('chat', ({ conversationId, failure }) => ({
    id: conversationId,
    message: failure?.message ?? '',
  }));
  return (
    <div className="transcript__state" role="alert">
      <p>This conversation could not be opened. {message}</p>
      <button
        type="button"
        className="button"
        onClick={() => void (id === null ? undefined : refreshConversation(session, id))}
      >
        Try again
      </button>
    </div>
  );
}
