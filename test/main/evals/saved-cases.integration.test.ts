import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Conversation, RunRecord, TurnRecord } from '../../../contracts/stored.ts';
import { transcriptHash } from '../../../coordinator/hash.ts';
import type { Message } from '../../../contracts/transcript.ts';
import { caseFromTurn } from '../../../main/evals/case-from-turn.ts';
import { SavedCases } from '../../../main/evals/saved-cases.ts';
import { inspectSuite } from '../../../main/evals/suite.ts';
import { writeTextAtomically } from '../../../main/settings/atomic-text.ts';
import { routeLogits } from './scripted-router.ts';

let folder = '';
let saved: SavedCases;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trinity-saved-'));
  saved = new SavedCases(join(folder, 'evals', 'saved.jsonl'), (path, text) =>
    writeTextAtomically(path, text, 'test'),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Two runs: an answered one, and one whose second turn is routed after a Worker's answer. */
function conversation(change: Partial<Conversation> = {}): Conversation {
  return {
    id: 'c',
    title: 'Numbers',
    createdAt: 0,
    updatedAt: 0,
    liveRunId: null,
    snippet: null,
    systemPrompt: 'Be brief.',
    draft: '',
    runs: [
      runOf('r1', 'What is 1 + 1?', '2', []),
      runOf('r2', 'And 2 + 2?', null, [
        turnOf(1, 'Worker', '4', routedAtTurn1),
        turnOf(2, 'Verifier', 'ACCEPT', [...routedAtTurn1, { role: 'assistant', content: '4' }]),
      ]),
    ],
    ...change,
  };
}

const routedAtTurn1: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is 1 + 1?' },
  { role: 'assistant', content: '2' },
  { role: 'user', content: 'And 2 + 2?' },
];

function runOf(id: string, task: string, answer: string | null, turns: TurnRecord[]): RunRecord {
  return {
    id,
    conversationId: 'c',
    task,
    status: 'accepted',
    budget: null,
    code: null,
    message: null,
    answer,
    verdict: null,
    agents: 'rehearsal',
    startedAt: 0,
    endedAt: 1,
    lastSeq: 1,
    turns,
  } as RunRecord;
}

function turnOf(
  turn: number,
  role: 'Worker' | 'Verifier',
  text: string,
  routed: Message[],
): TurnRecord {
  const logits = routeLogits(routed, {
    agentLogits: [1, 4, 2],
    roleLogits: [3, 1, 2],
    tokenCount: 9,
  });
  return {
    turn,
    role,
    text,
    complete: true,
    decisions: [
      {
        ...logits,
        transcriptHash: transcriptHash(routed),
        slot: { raw: 1, effective: 2, reason: { kind: 'pin' } },
        role: { raw: 'Worker', effective: role, reason: { kind: 'pin' } },
      },
    ],
  } as TurnRecord;
}

describe('caseFromTurn', () => {
  it('is what the router read in that turn: system prompt, earlier answers, the turns before', () => {
    expect(caseFromTurn(conversation(), 'r2', 1, false).messages).toEqual(routedAtTurn1);
    expect(caseFromTurn(conversation(), 'r2', 2, false).messages).toEqual([
      ...routedAtTurn1,
      { role: 'assistant', content: '4' },
    ]);
  });
  it('expects the raw choice when asked to, not what a pin made of it', () => {
    expect(caseFromTurn(conversation(), 'r2', 2, true).expected).toEqual({
      agentIds: [1],
      roleIds: [0],
    });
  });
  it('expects the highest logits of a turn that was drawn by chance', () => {
    const drawn = conversation();
    for (const turn of drawn.runs[1]?.turns ?? []) {
      for (const decision of turn.decisions) {
        decision.slot.raw = 0;
        decision.role.raw = 'Thinker';
      }
    }
    expect(caseFromTurn(drawn, 'r2', 2, true).expected).toEqual({ agentIds: [1], roleIds: [0] });
  });
  it('refuses a turn whose transcript the conversation no longer gives', () => {
    expect(() => caseFromTurn(conversation({ systemPrompt: 'Be long.' }), 'r2', 1, false)).toThrow(
      expect.objectContaining({ code: 'turn_changed' }) as Error,
    );
  });
  it('refuses a turn that was never routed', () => {
    expect(() => caseFromTurn(conversation(), 'r1', 1, false)).toThrow(
      expect.objectContaining({ code: 'unknown_case' }) as Error,
    );
  });
});

describe('SavedCases', () => {
  it('keeps cases in a suite that can be run, once each', async () => {
    const first = caseFromTurn(conversation(), 'r2', 1, true);
    await Promise.all([saved.add(first), saved.add(caseFromTurn(conversation(), 'r2', 2, true))]);
    await expect(saved.add(first)).rejects.toMatchObject({ code: 'case_exists' });
    expect(await inspectSuite(saved.path)).toMatchObject({ caseCount: 2, diagnostics: [] });
  });
  it('leaves what a person wrote into the file where it is', async () => {
    await saved.add(caseFromTurn(conversation(), 'r2', 1, true));
    const own = `# mine\n{"id":"own","prompt":"x"}\n`;
    writeFileSync(saved.path, own);
    await saved.add(caseFromTurn(conversation(), 'r2', 2, true));
    expect(readFileSync(saved.path, 'utf8').startsWith(own)).toBe(true);
  });
});
