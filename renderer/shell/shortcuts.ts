import { openConversation, stopRun } from '../stores/chat.ts';
import { stepTurn } from '../stores/inspector.ts';
import type { Session } from '../stores/session.ts';
import { setInspectorOpen, setShortcutsOpen, setSidebarOpen, showPage } from '../stores/view.ts';

/** A key press, of the members that matter. `code` is the key's place, whatever the layout writes. */
export interface KeyPress {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

export interface Shortcut {
  /** As the help shows it. */
  readonly keys: readonly string[];
  readonly does: string;
  readonly matches: (press: KeyPress) => boolean;
  readonly act: (session: Session) => void;
}

const command = (press: KeyPress) => (press.ctrlKey || press.metaKey) && !press.altKey;
const alt = (press: KeyPress) => press.altKey && !press.ctrlKey && !press.metaKey;

function focusOn(id: string): void {
  // After the page that holds it is drawn.
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

export const shortcuts: readonly Shortcut[] = [
  {
    keys: ['Ctrl', 'Shift', 'O'],
    does: 'New conversation',
    matches: (press) => command(press) && press.shiftKey && press.code === 'KeyO',
    act: (session) => {
      showPage(session, 'chat');
      void openConversation(session, null);
      focusOn('composer-text');
    },
  },
  {
    keys: ['Ctrl', 'K'],
    does: 'Search conversations',
    matches: (press) => command(press) && !press.shiftKey && press.code === 'KeyK',
    act: (session) => {
      setSidebarOpen(session, true);
      focusOn('conversation-search');
    },
  },
  {
    keys: ['Ctrl', '.'],
    does: 'Stop the run',
    matches: (press) => command(press) && press.key === '.',
    act: (session) => void stopRun(session),
  },
  {
    keys: ['Alt', '↑'],
    does: 'Inspect the previous turn',
    matches: (press) => alt(press) && press.code === 'ArrowUp',
    act: (session) => stepTurn(session, -1),
  },
  {
    keys: ['Alt', '↓'],
    does: 'Inspect the next turn',
    matches: (press) => alt(press) && press.code === 'ArrowDown',
    act: (session) => stepTurn(session, 1),
  },
  {
    keys: ['Alt', 'R'],
    does: 'Show or hide the routing inspector (narrow windows)',
    matches: (press) => alt(press) && press.code === 'KeyR',
    act: (session) => setInspectorOpen(session, !session.view.getState().inspectorOpen),
  },
  {
    keys: ['Alt', '1'],
    does: 'Conversations',
    matches: (press) => alt(press) && press.code === 'Digit1',
    act: (session) => showPage(session, 'chat'),
  },
  {
    keys: ['Alt', '2'],
    does: 'Agents',
    matches: (press) => alt(press) && press.code === 'Digit2',
    act: (session) => showPage(session, 'slots'),
  },
  {
    keys: ['Alt', '3'],
    does: 'Settings',
    matches: (press) => alt(press) && press.code === 'Digit3',
    act: (session) => showPage(session, 'settings'),
  },
  {
    keys: ['Ctrl', '/'],
    does: 'Keyboard shortcuts',
    matches: (press) => command(press) && press.key === '/',
    act: (session) => setShortcutsOpen(session, !session.view.getState().shortcutsOpen),
  },
];

/** Keys that need no entry above, for the help only. */
export const composerKeys = [
  { keys: ['Enter'], does: 'Send the message' },
  { keys: ['Shift', 'Enter'], does: 'New line' },
  { keys: ['Esc'], does: 'Close a panel or dialog' },
] as const;

/** Closes whatever lies over the page, uppermost first. */
export function escape(session: Session): void {
  const { sidebarOpen, inspectorOpen } = session.view.getState();
  if (sidebarOpen) setSidebarOpen(session, false);
  else if (inspectorOpen) setInspectorOpen(session, false);
}
