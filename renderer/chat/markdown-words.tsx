import { memo } from 'react';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { plainText } from '../../contracts/plain-text.ts';

/** The words of a Markdown text. Loaded with the Markdown of the transcript: see `PlainText`. */
export const MarkdownWords = memo(function MarkdownWords({ source }: { source: string }) {
  return plainText(fromMarkdown(source, syntax));
});

const syntax = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };
