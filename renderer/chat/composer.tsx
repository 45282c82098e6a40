import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { messageLimit, type Pins } from '../../contracts/app/chat.ts';
import { Icon } from '../controls/icon.tsx';
import { liveRun } from '../stores/chat-state.ts';
import { sendMessage, stopRun } from '../stores/chat.ts';
import { draftOf } from '../stores/draft-state.ts';
import { setDraft } from '../stores/drafts.ts';
import { emptyPreview, previewRoute } from '../stores/inspector.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { PinPicker } from './pin-picker.tsx';
import { isSendKey } from './send-key.ts';

/** Where the next message is written, with what the person fixes for its run. */
export function Composer() {
  const session = useSession();
  const { conversationId, isRunning, isStopping, isSending } = usePart('chat', (state) => {
    const run = liveRun(state);
    return {
      conversationId: state.conversationId,
      isRunning: run !== null,
      isStopping: run !== null && state.stopping.includes(run.id),
      isSending: state.sending !== null,
    };
  });
  const text = usePart('drafts', (state) => draftOf(state, conversationId));
  const isOpen = usePart('connection', ({ phase }) => phase.state === 'open');
  const [pins, setPins] = useState<Pins>({});
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), [conversationId]);
  usePreviewUpdates(text, pins);

  const canSend = isOpen && !isRunning && !isSending && text.trim() !== '';
  const send = async () => {
    if (canSend && (await sendMessage(session, text, pins))) setPins({});
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, keyCode, shiftKey, altKey } = event;
    const { isComposing } = event.nativeEvent;
    if (!isSendKey({ key, keyCode, shiftKey, altKey, isComposing })) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      className="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="composer__box">
        <textarea
          id="composer-text"
          ref={box}
          className="composer__text"
          rows={1}
          dir="auto"
          maxLength={messageLimit}
          placeholder={isRunning ? 'Write the next message meanwhile…' : 'Write a message…'}
          aria-label="Your message"
          value={text}
          onChange={(event) => setDraft(session, conversationId, event.target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="composer__bar">
          <PinPicker pins={pins} onChange={setPins} />
          <button
            type="button"
            className="button button--quiet button--small composer__preview"
            disabled={!isOpen || text.trim() === ''}
            title="Ask the router what it would choose, without calling anyone"
            onClick={() => void previewRoute(session, { text, pins })}
          >
            <Icon name="eye" size={14} />
            <span>
              Preview<span className="composer__long"> route</span>
            </span>
          </button>
          <span className="composer__gap" />
          {isRunning ? (
            <button
              type="button"
              className="composer__send composer__send--stop"
              disabled={isStopping}
              onClick={() => void stopRun(session)}
            >
              <Icon name="stop" size={14} />
              {isStopping ? 'Stopping…' : 'Stop'}
            </button>
          ) : (
            <button type="submit" className="composer__send" disabled={!canSend}>
              <Icon name="send" size={14} />
              Send
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

/** While a preview is shown, it follows what is typed and pinned, once that rests. */
function usePreviewUpdates(text: string, pins: Pins): void {
  const session = useSession();
  useEffect(() => {
    const { whatIf } = session.inspector.getState();
    if (whatIf === null) return;
    if (text.trim() === '') return emptyPreview(session);
    if (whatIf.text === text && samePins(whatIf.pins, pins)) return;
    const { disabledSlots } = whatIf;
    return session.ports.after(500, () => {
      void previewRoute(session, { text, pins, disabledSlots });
    });
  }, [session, text, pins]);
}

function samePins(a: Pins, b: Pins): boolean {
  return a.slot === b.slot && a.role === b.role;
}
