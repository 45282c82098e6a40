import { useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Closer to the end than this counts as reading the end. */
const nearPx = 56;

/**
 * Keeps a scrolled view at its end while content grows, as long as the person reads the end; a person who
 * has scrolled up is left where they are.
 *
 * @param key another key is another text: it begins at its end
 */
export function useStickToBottom(key: string) {
  const view = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const lastTop = useRef(0);
  const [isAtEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    const box = view.current;
    sticks.current = true;
    setAtEnd(true);
    if (box !== null) box.scrollTop = box.scrollHeight;
  }, []);

  const onScroll = useCallback(() => {
    const box = view.current;
    if (box === null) return;
    // Content may have grown since this scroll was made, so only a way up is a person's wish to leave.
    const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx;
    if (isNear) sticks.current = true;
    else if (box.scrollTop < lastTop.current) sticks.current = false;
    lastTop.current = box.scrollTop;
    setAtEnd(sticks.current);
  }, []);

  useLayoutEffect(() => {
    toEnd();
    const grown = content.current;
    if (grown === null || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(() => {
      if (sticks.current) toEnd();
    });
    observer.observe(grown);
    return () => observer.disconnect();
  }, [key, toEnd]);

  return { view, content, isAtEnd, toEnd, onScroll };
}
