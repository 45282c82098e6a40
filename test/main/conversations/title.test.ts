import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { titleOf, untitled } from '../../../main/conversations/title.ts';

const graphemes = (text: string): string[] =>
  [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

describe('a title from a first message', () => {
  it('is a short message as it is', () => {
    expect(titleOf('  What is   two\tplus two? ')).toBe('What is two plus two?');
  });

  it('is the first line that has text', () => {
    expect(titleOf('\n\n  \nFix this function\nfunction f() {}')).toBe('Fix this function');
  });

  it('ends between words, with an ellipsis', () => {
    const title = titleOf(
      'Explain the difference between a mutex and a semaphore to a new colleague',
    );
    expect(title).toBe('Explain the difference between a mutex and a semaphore to a…');
  });

  it('never cuts through an emoji family or a flag', () => {
    const family = '👩‍👩‍👧‍👦';
    expect(titleOf(family.repeat(100))).toBe(`${family.repeat(18)}…`);
    expect(titleOf('🇩🇪'.repeat(100))).toBe(`${'🇩🇪'.repeat(50)}…`);
  });

  it('never cuts through a letter with its accents', () => {
    const letter = `e${'\u0301'.repeat(3)}`;
    expect(titleOf(letter.repeat(100))).toBe(`${letter.repeat(50)}…`);
  });

  it('names a message without visible text, or with one grapheme of hundreds of accents', () => {
    expect(titleOf(' \n\t ')).toBe(untitled);
    expect(titleOf(`e${'\u0301'.repeat(5000)}`)).toBe(untitled);
  });

  it('is made of whole graphemes of the message and fits, for any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 400 }), (message) => {
        const title = titleOf(message);
        expect(title.length).toBeGreaterThan(0);
        expect(title.length).toBeLessThanOrEqual(201);
        expect(graphemes(title).length).toBeLessThanOrEqual(61);
      }),
    );
  });
});
