import type { ConversationSummary } from '../../contracts/stored.ts';
import { Dialog } from '../controls/dialog.tsx';
import { removeConversation } from '../stores/conversations.ts';
import { useSession } from '../stores/use-session.ts';

type Props = { conversation: ConversationSummary; onClose: () => void };

export function RemoveDialog({ conversation, onClose }: Props) {
  const session = useSession();
  const remove = async () => {
    if (await removeConversation(session, conversation.id)) onClose();
  };
  return (
    <Dialog title="Delete conversation?" onClose={onClose}>
      <p>
        “<span dir="auto">{conversation.title}</span>” and all of its runs will be deleted. This
        cannot be undone.
        {conversation.liveRunId === null ? '' : ' The run that is going on will be stopped.'}
      </p>
      <div className="dialog__actions">
        <button type="button" className="button" data-first onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="button button--danger" onClick={() => void remove()}>
          Delete
        </button>
      </div>
    </Dialog>
  );
}
