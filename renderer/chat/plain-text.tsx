import { lazy } from 'react';
import { ErrorBoundary } from '../controls/error-boundary.tsx';

// The reader of Markdown is no part of the first load.
const MarkdownWords = lazy(async () => {
  const { MarkdownWords: component } = await import('./markdown-words.tsx');
  return { default: component };
});

/** What a Markdown text says, without its marks. Suspends until the reader of Markdown is here. */
export function PlainText({ source }: { source: string }) {
  return (
    <ErrorBoundary subject={source} fallback={source}>
      <MarkdownWords source={source} />
    </ErrorBoundary>
  );
}
