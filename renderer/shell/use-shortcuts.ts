import { useEffect } from 'react';
import type { Session } from '../stores/session.ts';
import { escape, shortcuts } from './shortcuts.ts';

/** Listens for the page's shortcuts. A key that belongs to an input method is left alone. */
export function useShortcuts(session: Session): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) {
        escape(session);
        return;
      }
      const found = shortcuts.find(({ matches }) => matches(event));
      if (found === undefined) return;
      event.preventDefault();
      found.act(session);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [session]);
}
