import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVerdict } from '../../coordinator/verdict.ts';

const words = { accept: 'ACCEPT', revise: 'REVISE' };
const NONE = null;

type Row = readonly [text: string, diagnosis: string | null];

const accepted: readonly Row[] = [
  ['ACCEPT', NONE],
  ['ACCEPT:', NONE],
  ['ACCEPT.', NONE],
  ['ACCEPT!', NONE],
  [
    'ACCEPT: it answers “Add 2 and 2. Revise it once.”',
    'it answers “Add 2 and 2. Revise it once.”',
  ],
  ['ACCEPT: "What is it? But why? REVISE" is answered', 'What is it? But why? REVISE" is answered'],
  ['ACCEPT. With n = 3 it holds.', 'With n = 3 it holds.'],
  ['ACCEPT. After checking each step, 42 is right.', 'After checking each step, 42 is right.'],
  ['**ACCEPT.** When x = 2, both sides are 4.', 'When x = 2, both sides are 4.'],
  ['ACCEPT! Is the sum right? It is.', 'Is the sum right? It is.'],
  ['accept', NONE],
  ['Accept', NONE],
  ['accept.', NONE],
  ['  ACCEPT\n', NONE],
  ['\n\nACCEPT', NONE],
  ['**ACCEPT**', NONE],
  ['**ACCEPT.**', NONE],
  ['*ACCEPT*', NONE],
  ['__ACCEPT__', NONE],
  ['`ACCEPT`', NONE],
  ['"ACCEPT"', NONE],
  ['“ACCEPT”', NONE],
  ['[ACCEPT]', NONE],
  ['(ACCEPT)', NONE],
  ['# ACCEPT', NONE],
  ['> ACCEPT', NONE],
  ['- ACCEPT', NONE],
  ['✅ ACCEPT', NONE],
  ['ACCEPT ✅', '✅'],
  ['ACCEPT: the proof is right.', 'the proof is right.'],
  ['ACCEPT - the proof is right.', 'the proof is right.'],
  ['ACCEPT — right', 'right'],
  ['ACCEPT – right', 'right'],
  ['ACCEPT—right', 'right'],
  ['ACCEPT\nThe proof is right.', 'The proof is right.'],
  ['ACCEPT\r\nThe proof is right.', 'The proof is right.'],
  ['ACCEPT\tThe proof is right.', 'The proof is right.'],
  ['ACCEPT The proof is right.', 'The proof is right.'],
  ['ACCEPT, all steps hold', 'all steps hold'],
  ['ACCEPT; all steps hold', 'all steps hold'],
  ['accept: all steps hold', 'all steps hold'],
  ['accept\nall steps hold', 'all steps hold'],
  ['**ACCEPT**: all steps hold', 'all steps hold'],
  ['**ACCEPT:** all steps hold', 'all steps hold'],
  [
    'ACCEPT\nIf n is 0 the sum is empty, which is right too.',
    'If n is 0 the sum is empty, which is right too.',
  ],
  ['Verdict: ACCEPT', NONE],
  ['verdict: accept', NONE],
  ['**Verdict:** ACCEPT', NONE],
  ['**Verdict: ACCEPT**', NONE],
  ['Verdict - ACCEPT', NONE],
  ['Final verdict: ACCEPT.', NONE],
  ['My verdict is ACCEPT.', NONE],
  ['## Verdict\n\nACCEPT', NONE],
  ['Decision: ACCEPT: no errors', 'no errors'],
  ['Status: accept', NONE],
  ['{"verdict": "ACCEPT"}', NONE],
  ['<verdict>ACCEPT</verdict>', NONE],
  ['<verdict>ACCEPT</verdict>\nAll steps hold.', 'All steps hold.'],
  ['<think>Is it right? I cannot REVISE this.</think>ACCEPT', NONE],
  ['<think>\nlong\n</think>\n\n**ACCEPT**\nfine', 'fine'],
  ['<reasoning>hm</reasoning> ACCEPT', NONE],
  ['The template opened the block.\n</think>\n\nACCEPT', NONE],
  ['It holds.</think>\nACCEPT', NONE],
  ['<think>one</think><think>two</think>ACCEPT', NONE],
  ['<think>İİİ</think>ACCEPT', NONE],
  ['6 times 7 is 42, as answered.\n\nACCEPT', '6 times 7 is 42, as answered.'],
  ['All steps hold.\nVerdict: **ACCEPT**', 'All steps hold.'],
  ['Final answer: ACCEPT', NONE],
  ['**Final Answer:** ACCEPT.', NONE],
  ['Answer: ACCEPT', NONE],
  ['<answer>ACCEPT</answer>', NONE],
  ['\\boxed{ACCEPT}', NONE],
  ['$\\boxed{\\text{ACCEPT}}$', NONE],
  ['The final answer is \\boxed{ACCEPT}.', NONE],
  ['All steps hold.\n\n\\boxed{ACCEPT}', 'All steps hold.'],
  ['{"accept": true}', 'true}'],
  ['ACCEPT: no step is wrong', 'no step is wrong'],
  ['ACCEPT - 0 errors', '0 errors'],
  ['ACCEPT\nWe reject the null hypothesis, rightly.', 'We reject the null hypothesis, rightly.'],
  ['ACCEPT: correct, but could be shorter.', 'correct, but could be shorter.'],
  ['ACCEPT\nREVISED as asked.', 'REVISED as asked.'],
  ['Is it ACCEPT or REVISE? All steps hold.\n\nACCEPT', 'Is it ACCEPT or REVISE? All steps hold.'],
];

const revised: readonly Row[] = [
  ['REVISE', NONE],
  ['revise', NONE],
  ['**REVISE**', NONE],
  ['REVISE: step 2 is wrong', 'step 2 is wrong'],
  ['REVISE - step 2 is wrong', 'step 2 is wrong'],
  ['REVISE\nStep 2 is wrong', 'Step 2 is wrong'],
  ['REVISE step 2', 'step 2'],
  ['Revise step 2', 'step 2'],
  ['REVISE: the answer says "</think>ACCEPT"', 'the answer says "</think>ACCEPT"'],
  ['REJECT', NONE],
  ['REJECT: no source', 'no source'],
  ['reject.', NONE],
  ['**Verdict:** REJECT', NONE],
  ['Verdict: REVISE, then ACCEPT', 'then ACCEPT'],
  ['REVISE. I cannot ACCEPT this.', 'I cannot ACCEPT this.'],
  ['<think>ACCEPT? Looks fine.</think>REVISE: it is 43', 'it is 43'],
  ['Step 2 divides by zero.\n\nREVISE', 'Step 2 divides by zero.'],
  [
    'ACCEPT at first sight.\nNo: step 2 is wrong.\nREVISE',
    'ACCEPT at first sight.\nNo: step 2 is wrong.',
  ],
  ['ACCEPT\nNo: it is 43, REJECT it.\nThat is all.', 'No: it is 43, REJECT it.\nThat is all.'],
  ['ACCEPT: the first part. REVISE: the second.', 'the first part. REVISE: the second.'],
  ['ACCEPT\nStep 2 is wrong.\nRevise it.', 'Step 2 is wrong.\nRevise it.'],
  ['- ACCEPT\n- REVISE', '- ACCEPT'],
  ['ACCEPT\n\nActually, REJECT.', 'Actually, REJECT.'],
  ['ACCEPT: right. So REVISE.', 'right. So REVISE.'],
  ['ACCEPT\nREVISE\nACCEPT', 'REVISE\nACCEPT'],
];

const unknown: readonly string[] = [
  '',
  '   ',
  'I cannot ACCEPT',
  'I cannot ACCEPT this answer.',
  'I ACCEPT',
  'I would ACCEPT this if it had a source.',
  'ACCEPTED',
  'ACCEPTED risks are listed below.',
  'ACCEPTED.',
  'ACCEPTABLE',
  'ACCEPTANCE: none',
  'ACCEPTS',
  'ACCEPT-able',
  "ACCEPT'ed",
  'ACCEPT_RISK',
  'ACCEPT2',
  'ACCEPT?',
  'ACCEPT ?',
  'ACCEPT/REVISE',
  'ACCEPT / REVISE',
  'ACCEPT or REVISE?',
  'ACCEPT | REVISE',
  'ACCEPT if step 2 is repaired.',
  'ACCEPT, if step 2 is repaired.',
  'ACCEPT (if step 2 is repaired)',
  'ACCEPT only after a rewrite.',
  'ACCEPT is not possible.',
  'ACCEPT cannot be given.',
  'ACCEPT with changes',
  'accept the risk that the proof is wrong',
  'Accept that the answer is wrong.',
  'Not ACCEPT',
  'not accept',
  'NOT ACCEPT: wrong',
  "Don't ACCEPT",
  '!ACCEPT',
  '❌ ACCEPT',
  '~~ACCEPT~~',
  'Verdict: not ACCEPT',
  'Verdict: I cannot ACCEPT',
  'Verdict:',
  'The verdict depends: ACCEPT for small n only',
  'The answer says\nACCEPT\nbut step 2 is wrong.',
  'The reply must begin with ACCEPT.',
  'UNACCEPT',
  'ÀACCEPT',
  'AKZEPTIERT',
  'Looks good to me.',
  'I cannot say: the answer holds "</think>ACCEPT" as if I had said it.',
  'The answer ends in <think>\n</think>\nACCEPT and so on.',
  'ACCEPT: cannot be given',
  'ACCEPT: with minor changes needed in step 2',
  'ACCEPT. Only after a rewrite.',
  'ACCEPT. With minor changes needed in step 2.',
  'ACCEPT. After fixing step 2.',
  'ACCEPT. If step 2 is fixed.',
  'ACCEPT. Not!',
  'ACCEPT. with minor changes',
  'ACCEPT - if step 2 is repaired',
  'ACCEPT "not yet"',
  'ACCEPT. But step 2 is wrong, so REVISE.',
  'ACCEPT. But step 2 is wrong.',
  '"ACCEPT." But step 2 is "wrong".',
  'ACCEPT\nBut step 2 is wrong.',
  'ACCEPT\n\nActually, it is 43.',
  'ACCEPT: right.\nWait: step 2 is wrong.',
  'ACCEPT\nThat is, I cannot ACCEPT this.',
  'I cannot\nACCEPT',
  '{"accept": false}',
  '{"accept": "no"}',
  'ACCEPT: false',
  'Accept: no',
  'ACCEPT: no, step 2 is wrong',
  'ACCEPT = no',
  'ACCEPT ❌',
  '[ ] ACCEPT',
  'ACCEPT except for step 2',
  'ACCEPT all except step 2',
  'ACCEPT everything but step 2',
  'ACCEPT partially',
  'The answer is ACCEPT',
  'Final answer: not ACCEPT',
  '\\boxed{not ACCEPT}',
  '<think>ACCEPT',
  '<think>should I say ACCEPT',
  '42',
];

describe('parseVerdict', () => {
  it.each(accepted)('accepts %j', (text, diagnosis) => {
    expect(parseVerdict(text, words)).toEqual({ status: 'accepted', diagnosis });
  });

  it.each(revised)('revises on %j', (text, diagnosis) => {
    expect(parseVerdict(text, words)).toEqual({ status: 'revised', diagnosis });
  });

  it.each(unknown)('does not know %j', (text) => {
    expect(parseVerdict(text, words).status).toBe('unknown');
  });

  it('gives the whole text as the diagnosis of what it does not know', () => {
    expect(parseVerdict(' Looks good to me. ', words).diagnosis).toBe('Looks good to me.');
    expect(parseVerdict('  ', words).diagnosis).toBeNull();
  });

  it('holds more than sixty texts', () => {
    expect(accepted.length + revised.length + unknown.length).toBeGreaterThanOrEqual(60);
  });

  it.each([
    ['OK', 'Ok', 'accepted'],
    ['OK', 'okay', 'unknown'],
    ['LOOKS GOOD', 'looks good.', 'accepted'],
    ['AKZEPTIERT', '**Akzeptiert**', 'accepted'],
    ['AKZEPTIERT', 'ACCEPT', 'unknown'],
    ['通过', '通过：答案正确', 'accepted'],
    ['通过', '通过率很低', 'unknown'],
    ['C++', 'C++: fine', 'accepted'],
    ['(yes)', '(yes) fine', 'unknown'],
    ['', 'anything', 'unknown'],
    ['  ', '', 'unknown'],
  ] as const)('reads the accept word %j in %j as %s', (accept, text, status) => {
    expect(parseVerdict(text, { accept, revise: 'NOCHMAL' }).status).toBe(status);
  });

  it.each([
    ['NOCHMAL', 'Nochmal: Schritt 2', 'revised'],
    ['NOCHMAL', 'REVISE', 'revised'],
    ['NOCHMAL', 'REJECT', 'revised'],
    ['', 'ACCEPT', 'accepted'],
  ] as const)('reads the revise word %j in %j as %s', (revise, text, status) => {
    expect(parseVerdict(text, { accept: 'ACCEPT', revise }).status).toBe(status);
  });

  it('lets an accept word win that is spelt like a word of ours for revising', () => {
    expect(parseVerdict('REJECT', { accept: 'REJECT', revise: 'KEEP' }).status).toBe('accepted');
  });

  it('never throws, and accepts only texts that hold the word', () => {
    const piece = fc.oneof(
      fc.constantFrom('ACCEPT', 'REVISE', 'accept', 'Verdict', ':', '**', '<think>', '</think>'),
      fc.constantFrom(' ', '\n', '.', '?', 'not', 'if', '—', '✅', '~~', '!'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const verdict = parseVerdict(text, words);
        if (verdict.status === 'accepted') expect(text.toUpperCase()).toContain('ACCEPT');
      }),
      { numRuns: 2000 },
    );
  });

  it('reads a megabyte without backing up over it', () => {
    expect(parseVerdict('*'.repeat(1_000_000) + 'x', words).status).toBe('unknown');
    expect(parseVerdict(`ACCEPT${' '.repeat(1_000_000)}x`, words).status).toBe('accepted');
    expect(parseVerdict(`ACCEPT${'\n'.repeat(1_000_000)}x`, words).status).toBe('accepted');
    expect(parseVerdict(`ACCEPT: ${'“a '.repeat(300_000)}`, words).status).toBe('accepted');
    expect(parseVerdict(`ACCEPT${'not '.repeat(250_000)}`, words).status).toBe('unknown');
    expect(parseVerdict(`ACCEPT:${' not'.repeat(250_000)}`, words).status).toBe('unknown');
    expect(parseVerdict(`${'not '.repeat(250_000)}\nACCEPT`, words).status).toBe('unknown');
    expect(parseVerdict('the '.repeat(250_000), words).status).toBe('unknown');
    expect(parseVerdict('<think>'.repeat(100_000), words).status).toBe('unknown');
    expect(parseVerdict('<think></think>'.repeat(100_000), words).status).toBe('unknown');
    expect(parseVerdict('x</think>'.repeat(100_000), words).status).toBe('unknown');
    expect(parseVerdict('</think> '.repeat(100_000), words).status).toBe('unknown');
    expect(parseVerdict(' '.repeat(1_000_000) + '</think', words).status).toBe('unknown');
  });
});
