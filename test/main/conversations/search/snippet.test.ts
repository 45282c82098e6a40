import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../main/conversations/search/search-text.ts';
import { markdownSnippetOf, snippetOf } from '../../../../main/conversations/search/snippet.ts';

const filler = (count: number): string => Array.from({ length: count }, () => 'filler').join(' ');

describe('a snippet', () => {
  it('shows what a Thinker suggests without the marks that a parser reads', () => {
    const text =
      'Think.\n\n<suggestion>Add the prices.</suggestion>\n<suggested_role>worker</suggested_role>';
    expect(markdownSnippetOf(text, ['prices'])).toBe('Think. Add the prices. worker');
  });

  it('is a short text as it is, on one line', () => {
    expect(snippetOf('  Two\n\nplus   two ', ['two'])).toBe('Two plus two');
  });

  it('shows the place of the match between ellipses', () => {
    const snippet = snippetOf(`${filler(100)} the Résumé of it ${filler(100)}`, ['resume']);
    expect(snippet).toMatch(/^….*the Résumé of it.*…$/);
    expect(snippet.length).toBeLessThan(140);
  });

  it('begins with a whole word shortly before the match', () => {
    const text = 'Each part is answered in one sentence. The result was rehearsed by slot 5.';
    expect(snippetOf(text, ['rehearsed'])).toBe('…The result was rehearsed by slot 5.');
    expect(snippetOf('今'.repeat(40) + '京', ['京'])).toBe(`…${'今'.repeat(16)}京`);
  });

  it('shows the beginning where nothing is found', () => {
    expect(snippetOf(filler(100), ['absent'])).toMatch(/^filler.*…$/);
  });

  it('finds a match far into a long text and after characters outside the basic plane', () => {
    expect(snippetOf(`${'𝒳'.repeat(5000)} needle ${filler(900)}`, ['needle'])).toContain('needle');
  });

  it('holds the needle, is short, and cuts no grapheme, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        (left, right) => {
          const snippet = snippetOf(`${left} needle ${right}`, ['needle']);
          expect(fold(snippet)).toContain('needle');
          expect([...new Intl.Segmenter().segment(snippet)].length).toBeLessThanOrEqual(123);
          expect(snippet).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
        },
      ),
    );
  });
});

describe("a snippet of an agent's text", () => {
  it('has no marks of Markdown', () => {
    const text = '## Result\n\n| item | price |\n| - | - |\n| **ball** | `$0.05` |\n\n1. Checked.';
    expect(markdownSnippetOf(text, ['item'])).toBe('Result item, price ball, $0.05 1. Checked.');
  });

  it('shows the place of a match far into a long text between ellipses', () => {
    const line = `${filler(20)} **and** so on.\n\n`;
    const text = `${line.repeat(40)}The **ball** costs \`five\` cents. ${line.repeat(40)}`;
    const snippet = markdownSnippetOf(text, ['ball']);
    expect(snippet).toMatch(/^….*The ball costs five cents\..*…$/);
    expect(snippet.length).toBeLessThan(140);
  });

  it('shows a match that no mark-free text holds as it was written', () => {
    expect(markdownSnippetOf('See [it](https://a.example/ball).', ['https'])).toBe(
      'See [it](https://a.example/ball).',
    );
  });

  it('is short and cuts no grapheme, for any text', () => {
    const piece = fc.constantFrom(
      '**',
      '`',
      '| ',
      '\n',
      '\n\n',
      '- ',
      '> ',
      '[',
      '](',
      '👩‍👩‍👧',
      'é',
      'w ',
    );
    const text = fc.array(piece, { maxLength: 400 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, (left, right) => {
        const snippet = markdownSnippetOf(`${left} needle ${right}`, ['needle']);
        expect(snippet).toContain('needle');
        expect([...new Intl.Segmenter().segment(snippet)].length).toBeLessThanOrEqual(123);
        expect(snippet).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
      }),
      { numRuns: 50 },
    );
  });
});
