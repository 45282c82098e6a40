import { useState } from 'react';
import type { ConversationSummary } from '../../contracts/stored.ts';
import { loadMoreConversations } from '../stores/conversations.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { ConversationItem } from './conversation-item.tsx';
import { ageGroups } from './age-groups.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { RenameDialog } from './rename-dialog.tsx';

type Asking = { readonly what: 'rename' | 'remove'; readonly conversation: ConversationSummary };

/** The list of conversations, grouped by age, newest first. */
export function ConversationItems() {
  const session = useSession();
  const list = usePart('conversations', (state) => state);
  const openId = usePart('chat', (state) => state.conversationId);
  const isChat = usePart('view', (state) => state.page === 'chat');
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = () => setAsking(null);
  return (
    <div className="sidebar__list">
      {list.phase === 'ready' && list.conversations.length === 0 ? (
        <p className="sidebar__empty">
          {list.query === '' ? 'Conversations will be listed here.' : 'No conversation matches.'}
        </p>
      ) : null}
      {ageGroups(list.conversations, session.ports.now()).map((group) => (
        <section key={group.title}>
          <h2 className="sidebar__age">{group.title}</h2>
          <ul role="list">
            {group.conversations.map((conversation) => (
              <ConversationItem
                key={conversation.id}
                conversation={conversation}
                isCurrent={isChat && conversation.id === openId}
                onRename={() => setAsking({ what: 'rename', conversation })}
                onRemove={() => setAsking({ what: 'remove', conversation })}
              />
            ))}
          </ul>
        </section>
      ))}
      {list.next === null ? null : (
        <button
          type="button"
          className="button button--quiet button--small"
          onClick={() => void loadMoreConversations(session)}
        >
          Show older
        </button>
      )}
      {asking?.what === 'rename' ? (
        <RenameDialog conversation={asking.conversation} onClose={close} />
      ) : null}
      {asking?.what === 'remove' ? (
        <RemoveDialog conversation={asking.conversation} onClose={close} />
      ) : null}
    </div>
  );
}
