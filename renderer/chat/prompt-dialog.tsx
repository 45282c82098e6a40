import { useState } from 'react';
import { Dialog } from '../controls/dialog.tsx';
import { Field } from '../controls/field.tsx';
import { setSystemPrompt } from '../stores/chat.ts';
import { usePart, useSession } from '../stores/use-session.ts';

/** What every agent is told in this conversation, and what the router reads first. */
export function PromptDialog({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const stored = usePart('chat', (state) => state.systemPrompt);
  const [text, setText] = useState(stored);
  const save = async () => {
    if (await setSystemPrompt(session, text.trim())) onClose();
  };
  return (
    <Dialog title="Instructions for this conversation" onClose={onClose}>
      <form
        className="dialog__form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field
          label="Instructions"
          hint="Every agent gets them after its role’s own, and the router reads them first. They count from the next message on."
        >
          {(ids) => (
            <textarea
              {...ids}
              className="input"
              data-first
              rows={6}
              dir="auto"
              maxLength={50_000}
              placeholder="For example: answer in French, and show the units."
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <div className="dialog__actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button--primary">
            Keep
          </button>
        </div>
      </form>
    </Dialog>
  );
}
