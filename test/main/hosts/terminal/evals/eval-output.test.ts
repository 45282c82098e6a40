import { describe, expect, it } from 'vitest';
import type { EvalCase } from '../../../../../contracts/evals.ts';
import type { CaseLine } from '../../../../../main/evals/results-file.ts';
import { emptySummary } from '../../../../../main/evals/runner.ts';
import {
  caseLines,
  diagnosticLines,
  summaryLines,
} from '../../../../../main/hosts/terminal/evals/eval-output.ts';
import { plainLine } from '../../../../../main/hosts/terminal/evals/plain-line.ts';
import type { TerminalStyle } from '../../../../../main/hosts/terminal/style.ts';

const style: TerminalStyle = { columns: 80, colour: false, unicode: true, canRedraw: false };
const coloured: TerminalStyle = { ...style, colour: true };
const place = { position: 3, total: 12, remainingMs: 61_000 };
const labels = ['zero', 'one\u001b[2J'];

const line: CaseLine = {
  type: 'case',
  id: 'sum',
  status: 'failed',
  failures: ['agent', 'role_margin'],
  agentId: 1,
  roleId: 2,
  agentLogits: [0, 1],
  roleLogits: [0, 0, 1],
  agentMargin: 1,
  roleMargin: 0.12345,
  tokenCount: 4,
  hiddenIndex: 2,
  transcriptHash: `v1:${'c'.repeat(64)}`,
  upstreamTranscriptHash: 'd'.repeat(64),
  upstreamRouteHash: 'e'.repeat(64),
  ms: 1,
  tags: [],
  expected: { agentIds: [0, 7], roleIds: [0] },
};

function evalCase(content: string): EvalCase {
  const messages: EvalCase['messages'] = [{ role: 'user', content }];
  return { id: 'sum', messages, expected: {}, tags: [], notes: '' };
}

describe('the lines of a case', () => {
  it('are place, id, verdict, time left, prompt, both routes with labels, tokens, what failed', () => {
    expect(caseLines(line, evalCase('What is\n2 + 2?'), place, labels, style)).toEqual([
      '[3/12] sum - FAIL  1 min 1 s left',
      '  prompt    What is 2 + 2?',
      '  expected  0 zero or 7, Worker',
      '  returned  1 one, Verifier  (margins 1.0000, 0.1235)',
      '  tokens    4',
      '  failed    agent, role_margin',
    ]);
  });
  it('say what an absent expectation means, and leave out a prompt that is not at hand', () => {
    const open = { ...line, status: 'reported' as const, failures: [], expected: {} };
    expect(caseLines(open, null, { ...place, remainingMs: null }, [], style)).toEqual([
      '[3/12] sum - REPORT ONLY',
      '  expected  any slot, any role',
      '  returned  1, Verifier  (margins 1.0000, 0.1235)',
      '  tokens    4',
    ]);
  });
  it('carry the error of a case that could not be routed', () => {
    const failed: CaseLine = {
      type: 'case_error',
      id: 'long',
      status: 'error',
      code: 'too_long',
      message: 'Too long.',
      tags: [],
    };
    expect(caseLines(failed, null, place, labels, style)[1]).toBe('  Too long. (too_long)');
  });
  it('cut a prompt between graphemes, also one of a megabyte', () => {
    const family = '👨‍👩‍👧‍👦';
    const [, prompt] = caseLines(line, evalCase(family.repeat(50_000)), place, labels, style);
    expect(prompt).toBe(`  prompt    ${family.repeat(72)}…`);
  });
  it('hold no control sequence but our own colours, whatever ids and labels hold', () => {
    const hostile = '\u001b]0;title\u0007\u001b[31mred\u009b2J\r\u202eevil\n';
    const shown = [
      ...caseLines(
        { ...line, id: hostile },
        evalCase(hostile),
        place,
        [hostile, hostile],
        coloured,
      ),
      ...diagnosticLines(
        {
          name: hostile,
          caseCount: 0,
          suiteHash: `v1:${'a'.repeat(64)}`,
          diagnostics: [
            { file: hostile, line: 2, caseId: hostile, code: 'bad_json', message: hostile },
          ],
          moreDiagnostics: 3,
        },
        coloured,
      ),
      ...summaryLines(
        { ...emptySummary, agents: { 0: 1 }, worstAgentMargin: { id: hostile, margin: 1 } },
        {
          floors: { agent: null, role: null, source: 'none' },
          snapshotSource: { from: 'flag', path: hostile },
        },
        [hostile],
        coloured,
      ),
    ];
    for (const text of shown) {
      const own = /\u001b\[\d+m/gu;
      expect(text.replace(own, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    }
  });
});

describe('the summary', () => {
  it('counts per slot and role, gives worst margins, and says that floors are missing', () => {
    const summary = {
      ...emptySummary,
      passed: 2,
      agents: { 0: 1, 5: 1 },
      roles: { 2: 2 },
      worstAgentMargin: { id: 'sum', margin: 0.5 },
    };
    const judgedBy = {
      floors: { agent: null, role: null, source: 'none' },
      snapshotSource: { from: 'none' },
    } as const;
    expect(summaryLines(summary, judgedBy, labels, style)).toEqual([
      '',
      '2 passed, 0 failed, 0 reported, 0 errors',
      'slots  0 zero: 1, 5: 1',
      'roles  Verifier: 2',
      'worst margins  slot 0.5000 (sum), role none',
      'margin floors  none: this router, profile and suite are uncalibrated',
      'snapshot  none for this router, profile and suite',
    ]);
  });
});

describe('plainLine', () => {
  it('keeps letters of every script and emoji as they are', () => {
    const text = 'né 漢字 עברית 👩‍💻 ไทย';
    expect(plainLine(text)).toBe(text);
  });
});
