import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../contracts/plain-text.ts';

const plain = (source: string) =>
  plainText(fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));

describe('the plain text of Markdown', () => {
  it.each([
    [
      'marks in a line',
      '**The** _ball_ costs `x = 5` ~~ten~~ cents',
      'The ball costs x = 5 ten cents',
    ],
    ['a heading and paragraphs', '# One\n\nTwo\nthree\n\n---\n\nFour', 'One\nTwo\nthree\nFour'],
    ['a table', '| a | b |\n| - | -: |\n| **1** | 2 |', 'a, b\n1, 2'],
    ['numbered items', '3. one\n4. two\n   - deeper', '3. one\n4. two\ndeeper'],
    ['tasks', '- [x] a\n- [ ] b', 'Done: a\nNot done: b'],
    ['code', '```js\nlet a = 1;\n```', 'let a = 1;'],
    ['a link and an image', '[here](https://a.example) ![a chart](b.png)', 'here a chart'],
    ['a quotation', '> said\n> **so**', 'said\nso'],
    ['raw HTML, which is text', 'a <b>c</b>', 'a <b>c</b>'],
    ['marks that are none', '2 * 3 * 4, a_b_c, \\*', '2 * 3 * 4, a_b_c, *'],
    ['nothing', '', ''],
  ])('has no marks: %s', (_, source, expected) => expect(plain(source)).toBe(expected));
});
