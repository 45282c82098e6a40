import type { Page } from '@playwright/test';

/**
 * What is wrong with the layout of a page as it is drawn: content that is wider than its window or its box,
 * text that a box cuts off, controls that lie outside the window. Text that ends in an ellipsis is allowed
 * where the whole of it is in a `title`; boxes that scroll sideways on purpose are code and tables.
 */
export function layoutProblems(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const slack = 1;
    const meant =
      '.prose pre, .prose__table, .visually-hidden, .foldable--folded, .message__text--folded';
    const problems: string[] = [];
    const name = (element: Element) => {
      const text = (element.textContent ?? '').trim().slice(0, 40);
      return `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> ${text}`;
    };
    if (document.documentElement.scrollWidth > window.innerWidth) {
      problems.push(`the window scrolls sideways: ${document.documentElement.scrollWidth}`);
    }
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      if (element.closest(meant) !== null || element.closest('svg') !== null) continue;
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const isControl = element.matches('button, a, input, select, textarea, summary');
      const inScroller = element.closest('.skip-link') !== null;
      if (
        isControl &&
        !inScroller &&
        (box.right > window.innerWidth + slack || box.left < -slack)
      ) {
        problems.push(`outside the window: ${name(element)}`);
      }
      const isField = element.matches('input, textarea');
      const isWider =
        !isField && element.scrollWidth > element.clientWidth + slack && element.clientWidth > 0;
      if (isWider && style.overflowX !== 'visible' && style.display !== 'inline') {
        const ends = style.textOverflow === 'ellipsis';
        const isTold =
          element.closest('[title]') !== null || element.querySelector('[title]') !== null;
        if (!ends || !isTold) problems.push(`wider than its box: ${name(element)}`);
      }
      const isTaller =
        element.scrollHeight > element.clientHeight + slack && element.clientHeight > 0;
      if (isTaller && style.overflowY === 'hidden' && element.tagName !== 'BODY') {
        problems.push(`cut off below: ${name(element)}`);
      }
    }
    return problems;
  });
}
