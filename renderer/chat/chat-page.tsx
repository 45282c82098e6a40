import { Inspector } from '../routing/inspector.tsx';
import { setInspectorOpen } from '../stores/view.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { ChatHeader } from './chat-header.tsx';
import { Composer } from './composer.tsx';
import { RouterTrouble } from './router-trouble.tsx';
import { Transcript } from './transcript.tsx';

/** The conversation in the middle, the routing inspector beside it. */
export function ChatPage() {
  const session = useSession();
  const isOpen = usePart('view', (state) => state.inspectorOpen);
  const isMissing = usePart('chat', (state) => state.phase === 'missing');
  return (
    <>
      <main className="chat" id="main" tabIndex={-1}>
        <ChatHeader />
        <Transcript />
        {isMissing ? null : (
          <div className="chat__foot">
            <RouterTrouble />
            <Composer />
          </div>
        )}
      </main>
      <button
        type="button"
        className="veil veil--inspector"
        data-open={isOpen}
        tabIndex={-1}
        aria-hidden="true"
        onClick={() => setInspectorOpen(session, false)}
      />
      <Inspector />
    </>
  );
}
