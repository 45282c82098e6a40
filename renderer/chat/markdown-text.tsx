import { lazy, memo, Suspense, useMemo } from 'react';
import { ErrorBoundary } from '../controls/error-boundary.tsx';
import { markdownBlocks } from './markdown-blocks.ts';

// Markdown is a third of the page's code; the first paint does not wait for it.
const MarkdownBlock = lazy(async () => {
  const { MarkdownBlock: component } = await import('./markdown-block.tsx');
  return { default: component };
});

/** An agent's text as Markdown. While it streams, only its last block is read again. */
export const MarkdownText = memo(function MarkdownText({ text }: { text: string }) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <div className="prose">
      <Suspense fallback={<div className="prose__plain">{text}</div>}>
        {blocks.map((block, index) => (
          // Blocks only ever grow at the end, so their position names them.
          <ErrorBoundary
            key={index}
            subject={block}
            fallback={<div className="prose__plain">{block}</div>}
          >
            <MarkdownBlock source={block} />
          </ErrorBoundary>
        ))}
      </Suspense>
    </div>
  );
});
