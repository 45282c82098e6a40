import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { allowedLink } from '../../../renderer/chat/allowed-link.ts';
import { MarkdownBlock } from '../../../renderer/chat/markdown-block.tsx';

const html = (source: string) => renderToStaticMarkup(<MarkdownBlock source={source} />);

describe("an agent's Markdown", () => {
  it('shows raw HTML as text', () => {
    const shown = html('<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>');
    expect(shown).not.toMatch(/<script|<img/);
    expect(shown).toContain('&lt;img');
  });

  it('names an image and never fetches it', () => {
    const shown = html('![a chart](https://evil.example/pixel.png) ![](data:image/png;base64,AA)');
    expect(shown).not.toMatch(/<img|evil\.example|data:/);
    expect(shown).toContain('Image not loaded: a chart');
    expect(shown).toContain('Image not loaded: no description');
  });

  it('opens links elsewhere and tells them nothing', () => {
    expect(html('[a](https://example.com/x)')).toContain(
      '<a href="https://example.com/x" target="_blank" rel="noopener noreferrer nofollow"',
    );
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'app://bundle/index.html',
    '/slots',
    '#/settings',
    '//evil.example',
    'https://user:secret@example.com',
    'https://',
    '',
  ])('leads nowhere: %s', (address) => {
    expect(allowedLink(address)).toBe('');
    expect(html(`[a](<${address.replaceAll('\n', '')}>)`)).not.toContain('href');
  });

  it('lets only http, https and mailto through, whatever the address', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.string({ unit: 'binary' })), (address) => {
        const allowed = allowedLink(address);
        if (allowed !== '') expect(new URL(allowed).protocol).toMatch(/^(https?|mailto):$/);
      }),
    );
  });

  it('gives every block its own direction', () => {
    expect(html('שלום\n\n- مرحبا\n\n> hello')).toMatch(
      /<p dir="auto">שלום<\/p>[\s\S]*<li dir="auto">[\s\S]*<blockquote dir="auto">/,
    );
  });

  it('keeps alignment of table cells without styles in the markup', () => {
    const shown = html('| a | b |\n| :-: | -: |\n| 1 | 2 |');
    expect(shown).not.toContain('style=');
    expect(shown).toContain('align="center"');
    expect(shown).toContain('align="right"');
  });
});
