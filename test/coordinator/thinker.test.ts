import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSuggestion } from '../../coordinator/thinker.ts';

const tags = (text: string, role: string) =>
  `<suggestion>${text}</suggestion>\n<suggested_role>${role}</suggested_role>`;

describe('parseSuggestion', () => {
  it.each([
    ['both tags', tags('Split it.', 'worker'), { role: 'Worker', text: 'Split it.' }],
    [
      'the older word for a Worker',
      tags('Split it.', 'solver'),
      { role: 'Worker', text: 'Split it.' },
    ],
    ['a Verifier', tags('Check it.', 'verifier'), { role: 'Verifier', text: 'Check it.' }],
    ['any case and space', tags('  Do it. \n', ' Worker\n'), { role: 'Worker', text: 'Do it.' }],
    [
      'tags in capitals',
      '<SUGGESTION>x</Suggestion><Suggested_Role>WORKER</SUGGESTED_ROLE>',
      { role: 'Worker', text: 'x' },
    ],
    [
      'the role first',
      '<suggested_role>verifier</suggested_role> then <suggestion>x</suggestion>',
      { role: 'Verifier', text: 'x' },
    ],
    ['prose around them', `A plan.\n${tags('x', 'worker')}\nDone.`, { role: 'Worker', text: 'x' }],
    ['several lines', tags('one\ntwo', 'worker'), { role: 'Worker', text: 'one\ntwo' }],
    [
      'the first of two pairs',
      tags('one', 'verifier') + tags('two', 'worker'),
      { role: 'Verifier', text: 'one' },
    ],
    [
      'the pair after a reasoning block',
      `<think>${tags('no', 'verifier')}</think>${tags('yes', 'worker')}`,
      { role: 'Worker', text: 'yes' },
    ],
    ['letters that grow in lower case', `İİİ${tags('x', 'worker')}`, { role: 'Worker', text: 'x' }],
    [
      'a role tag inside the suggestion',
      '<suggestion>Check <suggested_role>verifier</suggested_role></suggestion>',
      { role: 'Verifier', text: 'Check <suggested_role>verifier</suggested_role>' },
    ],
  ] as const)('reads %s', (_, text, suggestion) => {
    expect(parseSuggestion(text)).toEqual(suggestion);
  });

  it.each([
    ['no tags', 'Split it in two and ask a worker.'],
    ['no role', '<suggestion>x</suggestion>'],
    ['no suggestion', '<suggested_role>worker</suggested_role>'],
    ['a suggestion that does not close', '<suggestion>x <suggested_role>worker</suggested_role>'],
    ['a role that does not close', '<suggestion>x</suggestion><suggested_role>worker'],
    ['a closing tag alone', 'x</suggestion><suggested_role>worker</suggested_role>'],
    ['a nested suggestion', tags('<suggestion>x</suggestion>', 'worker')],
    [
      'a nested role',
      '<suggestion>x</suggestion><suggested_role><suggested_role>worker</suggested_role></suggested_role>',
    ],
    ['an empty suggestion', tags('  ', 'worker')],
    ['an empty role', tags('x', '')],
    ['another Thinker', tags('x', 'thinker')],
    ['a role of no meaning', tags('x', 'manager')],
    ['a role with more words', tags('x', 'worker or verifier')],
    ['a role by number', tags('x', '0')],
    [
      'tags with attributes',
      '<suggestion a="b">x</suggestion><suggested_role>worker</suggested_role>',
    ],
    ['a reasoning block alone', `<think>${tags('x', 'worker')}`],
  ] as const)('finds nothing in %s', (_, text) => {
    expect(parseSuggestion(text)).toBeNull();
  });

  it('never throws, and what it finds stands in the text', () => {
    const piece = fc.oneof(
      fc.constantFrom('<suggestion>', '</suggestion>', '<suggested_role>', '</suggested_role>'),
      fc.constantFrom('worker', 'verifier', ' ', '\n', '<think>', '</think>'),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const found = parseSuggestion(text);
        if (found !== null) expect(text).toContain(found.text);
      }),
      { numRuns: 2000 },
    );
  });
});
