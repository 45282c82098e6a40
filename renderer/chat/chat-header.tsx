import { useState } from 'react';
import { IconButton } from '../controls/icon-button.tsx';
import { RouterChip } from '../models/router-chip.tsx';
import { setInspectorOpen, setSidebarOpen } from '../stores/view.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { AgentsChip } from './agents-chip.tsx';
import { PromptDialog } from './prompt-dialog.tsx';

/** What is open, and who decides and who answers at the moment. */
export function ChatHeader() {
  const session = useSession();
  const [isPrompting, setPrompting] = useState(false);
  const { title, hasPrompt, isMissing } = usePart('chat', (state) => ({
    title: state.title,
    hasPrompt: state.systemPrompt !== '',
    isMissing: state.phase === 'missing',
  }));
  const view = usePart('view', ({ inspectorOpen, sidebarOpen }) => ({
    inspectorOpen,
    sidebarOpen,
  }));
  return (
    <header className="topbar">
      <span className="topbar__menu">
        <IconButton
          icon="menu"
          label="Conversations"
          aria-expanded={view.sidebarOpen}
          onClick={() => setSidebarOpen(session, !view.sidebarOpen)}
        />
      </span>
      <h1 className="topbar__title" dir="auto" title={title}>
        {isMissing ? 'No such conversation' : title === '' ? 'New conversation' : title}
      </h1>
      {isMissing ? null : (
        <span className="topbar__prompt" data-set={hasPrompt}>
          <IconButton
            icon="edit"
            label={
              hasPrompt
                ? 'Instructions for this conversation, set'
                : 'Instructions for this conversation'
            }
            onClick={() => setPrompting(true)}
          />
        </span>
      )}
      <RouterChip />
      <AgentsChip />
      <span className="topbar__inspector">
        <IconButton
          icon="panel"
          label="Routing inspector"
          aria-expanded={view.inspectorOpen}
          onClick={() => setInspectorOpen(session, !view.inspectorOpen)}
        />
      </span>
      {isPrompting ? <PromptDialog onClose={() => setPrompting(false)} /> : null}
    </header>
  );
}
