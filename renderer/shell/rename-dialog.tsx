import { useState } from 'react';
import type { ConversationSummary } from '../../contracts/stored.ts';
import { Dialog } from '../controls/dialog.tsx';
import { Field } from '../controls/field.tsx';
import { renameConversation } from '../stores/conversations.ts';
import { useSession } from '../stores/use-session.ts';

type Props = { conversation: ConversationSummary; onClose: () => void };

export function RenameDialog({ conversation, onClose }: Props) {
  const session = useSession();
  const [title, setTitle] = useState(conversation.title);
  const save = async () => {
    if (await renameConversation(session, conversation.id, title)) onClose();
  };
  return (
    <Dialog title="Rename conversation" onClose={onClose}>
      <form
        className="dialog__form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label="Title">
          {(ids) => (
            <input
              {...ids}
              className="input"
              data-first
              dir="auto"
              maxLength={200}
              value={title}
              onFocus={(event) => event.target.select()}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <div className="dialog__actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button button--primary" disabled={title.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  );
}
