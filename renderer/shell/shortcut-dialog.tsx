import { Dialog } from '../controls/dialog.tsx';
import { useSession } from '../stores/use-session.ts';
import { setShortcutsOpen } from '../stores/view.ts';
import { composerKeys, shortcuts } from './shortcuts.ts';

const isMac = navigator.platform.startsWith('Mac');

/** The keys of the page. */
export function ShortcutDialog() {
  const session = useSession();
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => setShortcutsOpen(session, false)}>
      <dl className="shortcuts">
        {[...composerKeys, ...shortcuts].map(({ keys, does }) => (
          <div key={does} className="shortcuts__row">
            <dt>{does}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{isMac && key === 'Ctrl' ? '⌘' : key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
