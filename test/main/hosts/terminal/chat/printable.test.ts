import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from '../../../../../main/hosts/terminal/chat/printable.ts';

describe('text of an agent in a terminal', () => {
  it('keeps words, line breaks, tabs and every script', () => {
    const text = 'One\n\ttwo — drei, 四, пять, ستة 👩‍👩‍👧\n';
    expect(printable(text)).toBe(text);
    expect(printable('a\r\nb')).toBe('a\nb');
  });

  it('loses escape sequences, bells, carriage returns and reversed text', () => {
    expect(printable('\u001b]0;title\u0007\u001b[2Jgone\rover\u009b31m')).toBe(
      ']0;title[2Jgoneover31m',
    );
    expect(printable('safe\u202egnp.exe')).toBe('safegnp.exe');
  });

  it('never lets a control character through, however a sequence is split', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        const shown = pieces.map(printable).join('');

        expect(shown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});
