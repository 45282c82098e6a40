import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../../contracts/events.ts';
import { RunView } from '../../../../../main/hosts/terminal/chat/run-view.ts';
import { acceptedRun, decisionOf, numbered } from '../../../../fixtures/run-events.ts';

const style = { columns: 80, colour: false, unicode: true, canRedraw: false };
const labels = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function shown(events: readonly RunEvent[]): string {
  let text = '';
  const view = new RunView({ write: (piece) => (text += piece) }, style, labels);
  for (const event of events) view.show(event);
  return text;
}

describe('a run in the terminal', () => {
  it('has a route line and bars for every turn, the answer, and its ending', () => {
    const lines = shown(acceptedRun('run', ['Four', '.'])).split('\n');
    expect(lines.filter((line) => /^turn \d: /.test(line))).toEqual([
      expect.stringMatching(/^turn 1: Worker by slot 4 {2}margins 14\.40 \/ 8\.25, 57 tokens/),
      expect.stringMatching(/^turn 2: Verifier by slot 4/),
    ]);
    expect(lines.filter((line) => /^[▶▷ ] [0-6] [a-g] /.test(line))).toHaveLength(14);
    expect(lines).toContain('Adding.');
    expect(lines).toContain('Four.');
    expect(lines).toContain('accepted after 2 turns: It is right.');
  });

  it('says of a turn what the router did not read of the conversation', () => {
    const first = (omitted: number, cut: number) => {
      const decision = decisionOf({ window: { limit: 2048, omitted, cut } });
      return shown(numbered('run', [{ type: 'routed', turn: 1, decision }])).split('\n')[0];
    };
    expect(first(0, 0)).toMatch(/57 tokens, \d+ ms$/);
    expect(first(39, 0)).toMatch(/57 tokens, 39 messages left out, \d+ ms$/);
    expect(first(1, 2)).toMatch(/57 tokens, 1 message left out, 2 cut short, \d+ ms$/);
    expect(first(0, 1)).toMatch(/57 tokens, 1 message cut short, \d+ ms$/);
  });

  it('says why a choice is not the router’s', () => {
    const reasons: readonly (readonly [Parameters<typeof decisionOf>[0], RegExp])[] = [
      [
        { slot: { raw: 4, effective: 1, reason: { kind: 'pin' } } },
        /slot pinned \(the router chose 4\)/,
      ],
      [
        {
          slot: { raw: 4, effective: 1, reason: { kind: 'mask', over: 'router', cause: 'busy' } },
        },
        /slot 4 cannot be called \(busy\)/,
      ],
      [
        { role: { raw: 'Worker', effective: 'Verifier', reason: { kind: 'suggestion', turn: 2 } } },
        /role suggested in turn 2/,
      ],
      [
        {
          role: { raw: 'Verifier', effective: 'Worker', reason: { kind: 'guard', over: 'router' } },
        },
        /nothing to verify yet: the router chose Verifier/,
      ],
    ];
    for (const [over, reason] of reasons) {
      const routed = { type: 'routed', turn: 1, decision: decisionOf(over) } as const;
      expect(shown(numbered('run', [routed]))).toMatch(reason);
    }
  });

  it('lets no escape sequence of an agent or a provider through', () => {
    const bad = '\u001b[2J\u0007';
    const text = shown(
      numbered('run', [
        {
          ...{ type: 'dispatch_started', turn: 1, call: 1, slot: 4, role: 'Worker' },
          ...{ provider: bad, model: bad },
        },
        { type: 'delta', turn: 1, channel: 'text', text: bad },
        { type: 'run_failed', turn: 0, code: 'x', message: bad, answer: null, verdict: null },
      ]),
    );

    expect(text).not.toMatch(/[\u0007\u001b]/);
  });
});
