import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../../../main/conversations/search/search-text.ts';
import { snippetOf } from '../../../../main/conversations/search/snippet.ts';

const filler = (count: number): string => Array.from({ length: count }, () => 'filler').join(' ');

describe('a snippet', () => {
  it('is a short text as it is, on one line', () => {
    expect(snippetOf('  Two\n\nplus   two ', ['two'])).toBe('Two plus two');
  });

  it('shows the place of the match between ellipses', () => {
    const snippet = snippetOf(`${filler(100)} the Résumé of it ${filler(100)}`, ['resume']);
    expect(snippet).toMatch(/^….*the Résumé of it.*…$/);
    expect(snippet.length).toBeLessThan(140);
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
