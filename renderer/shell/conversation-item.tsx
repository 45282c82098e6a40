import type { ConversationSummary } from '../../contracts/stored.ts';
import { IconButton } from '../controls/icon-button.tsx';
import { openConversation } from '../stores/chat.ts';
import { useSession } from '../stores/use-session.ts';
import { showPage } from '../stores/view.ts';

type Props = {
  conversation: ConversationSummary;
  isCurrent: boolean;
  onRename: () => void;
  onRemove: () => void;
};

/** One conversation of the list: opened by a click, with a mark while a run goes on in it. */
export function ConversationItem({ conversation, isCurrent, onRename, onRemove }: Props) {
  const session = useSession();
  const { id, title, snippet, liveRunId } = conversation;
  const open = () => {
    showPage(session, 'chat');
    void openConversation(session, id);
  };
  return (
    <li className="conversation">
      <button
        type="button"
        className="conversation__open"
        aria-current={isCurrent ? 'page' : undefined}
        title={title}
        onClick={open}
      >
        <span className="conversation__title" dir="auto">
          {liveRunId === null ? null : (
            <span className="live-dot" role="img" aria-label="Running:" />
          )}
          {title}
        </span>
        {snippet === null ? null : (
          <span className="conversation__snippet" dir="auto">
            {snippet}
          </span>
        )}
      </button>
      <span className="conversation__tools">
        <IconButton isSmall icon="edit" label={`Rename “${title}”`} onClick={onRename} />
        <IconButton isSmall icon="trash" label={`Delete “${title}”`} onClick={onRemove} />
      </span>
    </li>
  );
}
