import { useEffect, useRef } from 'react';

/**
 * Moves the focus into a panel when it opens as a drawer over the page, to its close button, and back when
 * it closes. A panel that stands beside the page, not over it, takes no focus.
 */
export function useDrawerFocus(isOpen: boolean) {
  const drawer = useRef<HTMLElement>(null);
  const before = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const panel = drawer.current;
    if (panel === null) return;
    if (isOpen && getComputedStyle(panel).position === 'fixed') {
      const { activeElement } = document;
      before.current = activeElement instanceof HTMLElement ? activeElement : null;
      panel.querySelector<HTMLElement>('[data-closes]')?.focus();
    } else if (!isOpen && before.current !== null) {
      const isInside = panel.contains(document.activeElement);
      if (isInside || document.activeElement === document.body) before.current.focus();
      before.current = null;
    }
  }, [isOpen]);
  return drawer;
}
