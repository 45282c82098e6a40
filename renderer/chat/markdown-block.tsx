import { isValidElement, memo, type ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CopyButton } from '../controls/copy-button.tsx';
import { allowedLink } from './allowed-link.ts';

/**
 * One block of Markdown. Agents are strangers: raw HTML stays text, images are named and never fetched,
 * links go to http(s) and mailto only.
 */
export const MarkdownBlock = memo(function MarkdownBlock({ source }: { source: string }) {
  return (
    <Markdown remarkPlugins={plugins} components={components} urlTransform={allowedLink}>
      {source}
    </Markdown>
  );
});

const plugins = [remarkGfm];

/** Each block finds its own direction, so that one Arabic paragraph does not turn the list below it. */
const components: Components = {
  p: ({ children }) => <p dir="auto">{children}</p>,
  h1: ({ children }) => (
    <h4 className="prose__h1" dir="auto">
      {children}
    </h4>
  ),
  h2: ({ children }) => (
    <h4 className="prose__h2" dir="auto">
      {children}
    </h4>
  ),
  h3: ({ children }) => <h4 dir="auto">{children}</h4>,
  h4: ({ children }) => <h5 dir="auto">{children}</h5>,
  h5: ({ children }) => <h5 dir="auto">{children}</h5>,
  h6: ({ children }) => <h5 dir="auto">{children}</h5>,
  li: ({ children }) => <li dir="auto">{children}</li>,
  blockquote: ({ children }) => <blockquote dir="auto">{children}</blockquote>,
  td: ({ children, style }) => (
    <td dir="auto" align={alignmentOf(style)}>
      {children}
    </td>
  ),
  th: ({ children, style }) => (
    <th dir="auto" align={alignmentOf(style)}>
      {children}
    </th>
  ),
  table: ({ children }) => (
    <div className="prose__table" role="region" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <span className="prose__task" role="img" aria-label={checked === true ? 'Done' : 'Not done'}>
      {checked === true ? '☑' : '☐'}
    </span>
  ),
  a: ({ href, children }) =>
    href === undefined || href === '' ? (
      <span className="prose__dead-link">{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
    ),
  img: ({ alt }) => (
    <span className="prose__image">Image not loaded: {alt || 'no description'}</span>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
};

function CodeBlock({ children }: { children: ReactNode }) {
  const code = isValidElement<{ className?: string; children?: ReactNode }>(children)
    ? children.props
    : {};
  const language = /language-([\w+#.-]+)/.exec(code.className ?? '')?.[1] ?? 'text';
  const text = typeof code.children === 'string' ? code.children : '';
  return (
    <div className="prose__code" dir="ltr">
      <div className="prose__code-head">
        <span>{language}</span>
        <CopyButton text={text.replace(/\n$/, '')} label="Copy this code" />
      </div>
      <pre tabIndex={0} role="region" aria-label={`Code, ${language}`}>
        {children}
      </pre>
    </div>
  );
}

function alignmentOf(style: { textAlign?: string } | undefined) {
  const align = style?.textAlign;
  return align === 'center' || align === 'right' || align === 'left' ? align : undefined;
}
