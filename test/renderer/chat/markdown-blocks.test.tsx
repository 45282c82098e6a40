import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownBlock } from '../../../renderer/chat/markdown-block.tsx';
import { markdownBlocks } from '../../../renderer/chat/markdown-blocks.ts';

const rendered = (source: string) => renderToStaticMarkup(<MarkdownBlock source={source} />);
/** White space between blocks, and at the end of code that nothing closes, shows nowhere. */
const plain = (html: string) =>
  html
    .replaceAll(/>\s+</g, '><')
    .replaceAll(/\s+<\/code>/g, '</code>')
    .trim();
const expectSame = (text: string) => {
  const blocks = markdownBlocks(text);
  expect(blocks.join('')).toBe(text);
  expect(plain(blocks.map(rendered).join(''))).toBe(plain(rendered(text)));
};

describe('markdownBlocks', () => {
  it('cuts between paragraphs, headings and fences', () => {
    expect(markdownBlocks('# A\n\nOne\nmore\n\n```js\nx\n\ny\n```\n\nTwo')).toEqual([
      '# A\n\n',
      'One\nmore\n\n',
      '```js\nx\n\ny\n```\n\n',
      'Two',
    ]);
  });

  it('is empty for an empty text', () => {
    expect(markdownBlocks('')).toEqual([]);
  });

  it.each([
    ['a loose list', '1. one\n\n2. two\n\n   more of two\n\n3. three\n\nafter'],
    ['a fence inside a list item', '- item\n\n  ```js\n  a\n\n  b\n  ```\n\nafter\n\nmore'],
    ['a fence that a list item ends', '- ```\n  a\n\nafter\n\nmore'],
    ['a fence inside a quotation', '> ```\n> a\n\nafter\n\nmore'],
    ['a fence of tildes around backticks', '~~~\n```\n\na\n\n~~~\n\nafter'],
    ['an open fence', 'a\n\n```\nb\n\nc\n\n# no heading'],
    ['a fence closed by a longer one only', '````\n```\n\na\n````\n\nafter'],
    ['indented code', 'a\n\n    code\n\n    more\n\nafter'],
    ['a table', '| a | b |\n| - | -: |\n| 1 | 2 |\n\nafter'],
    ['a link definition far below', 'see [it][x]\n\nmore\n\n[x]: https://example.com'],
    ['a footnote', 'see it[^1]\n\nmore\n\n[^1]: the note'],
    ['html over blank lines', '<pre>\na\n\n*b*\n\n</pre>\n\nafter'],
    ['nested quotations', '> a\n>\n> > b\n\n> c\n\nafter'],
    ['carriage returns', 'a\r\n\r\nb\r\n\r\n- c\r\n'],
  ])('means the same in blocks: %s', (_, text) => expectSame(text));

  it('means the same in blocks, whatever pieces a text is made of', () => {
    const piece = fc.constantFrom(
      'word',
      '**bold**',
      '\n',
      '\n\n',
      '- item',
      '  - deeper',
      '1. one',
      '> quote',
      '```\n',
      '```js\n',
      '~~~\n',
      '    ',
      '  ',
      '# head\n',
      '| a | b |\n| - | - |\n| c | d |\n',
      '---\n',
      '===\n',
      '`code`',
      '* * *\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => expectSame(pieces.join(''))),
      { numRuns: 150 },
    );
  });

  it('never changes a block that another one follows while a text grows', () => {
    const text = '# A\n\nOne\n\n- x\n\n- y\n\n```\na\n\nb\n```\n\nTwo\n\nThree';
    for (let length = 1; length < text.length; length += 1) {
      const now = markdownBlocks(text.slice(0, length));
      const next = markdownBlocks(text.slice(0, length + 1));
      expect(next.slice(0, now.length - 1)).toEqual(now.slice(0, -1));
    }
  });
});
