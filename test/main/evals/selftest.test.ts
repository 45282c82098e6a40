import { describe, expect, it } from 'vitest';
import { routedText } from '../../../contracts/transcript.ts';
import {
  runSelftest,
  type SelftestOptions,
  type SelftestResult,
} from '../../../main/evals/selftest.ts';
import { readSnapshot, type SnapshotCase } from '../../../main/evals/snapshot.ts';
import { upstreamTranscriptHash } from '../../../main/evals/upstream/hashes.ts';
import { referenceSuite } from '../../../main/evals/upstream/reference.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import {
  hasReference,
  noReference,
  rawSnapshot,
  referenceCases,
  referencePaths,
} from './reference-fixture.ts';
import { scriptedRouter, type ScriptedRoute } from './scripted-router.ts';

skipUnless(hasReference, noReference).describe('runSelftest', () => {
  async function selftest(
    changes: Readonly<Record<string, (route: ScriptedRoute) => ScriptedRoute>> = {},
    headSha256: string = referenceSuite.headSha256,
  ): Promise<SelftestResult> {
    const cases = referenceCases();
    const byId = new Map(rawSnapshot().map((entry) => [entry.id, entry]));
    const script = new Map(
      cases.map((entry) => {
        const raw = byId.get(entry.id)!;
        const route = {
          agentLogits: raw.agent_logits_rounded,
          roleLogits: raw.role_logits_rounded,
          tokenCount: raw.token_count,
        };
        return [routedText(entry.messages), changes[entry.id]?.(route) ?? route] as const;
      }),
    );
    return runSelftest({
      cases,
      diagnostics: [],
      snapshot: await readSnapshot(referencePaths.snapshot),
      router: scriptedRouter(script),
      headSha256,
      referenceHeadSha256: referenceSuite.headSha256,
      signal: new AbortController().signal,
      onCase: () => undefined,
    });
  }

  function failures(result: SelftestResult): string[] {
    return result.cases
      .filter((entry) => !entry.isPassed)
      .map((entry) => `${entry.id}: ${entry.problems.join('; ')}`);
  }

  it('passes 37 of 37 on the stored logits, which agree with themselves', async () => {
    const result = await selftest();
    expect(result).toMatchObject({ isPassed: true, passed: 37, headProblem: null });
    expect(result.agreement?.cosine).toBeCloseTo(1, 12);
    expect(result.agreement?.relativeL2).toBe(0);
  });
  it('fails one flip by name, with both margins', async () => {
    const result = await selftest({
      math_proof: (route) => ({ ...route, roleLogits: [...route.roleLogits].reverse() }),
    });
    expect(result.isPassed).toBe(false);
    expect(failures(result)).toHaveLength(1);
    expect(failures(result)[0]).toMatch(/^math_proof: role 0 became 2 \(margin 11\.2\d+, .*11\.2/);
  });
  it('fails one changed token count by name', async () => {
    const result = await selftest({
      sql_query: (route) => ({ ...route, tokenCount: 26 }),
    });
    expect(failures(result)).toEqual([
      'sql_query: 26 tokens, the snapshot has 25; hidden index 24, the snapshot has 23',
    ]);
  });
  it('fails another head by its digest, though every case passes', async () => {
    const result = await selftest({}, 'b'.repeat(64));
    expect(result).toMatchObject({ isPassed: false, passed: 37 });
    expect(result.headProblem).toContain('b'.repeat(64));
  });
  it('passes a drift that flips nothing, and reports it', async () => {
    const drift = (route: ScriptedRoute): ScriptedRoute => ({
      ...route,
      agentLogits: route.agentLogits.map((logit) => logit + 0.1),
    });
    const ids = referenceCases().map((entry) => entry.id);
    const result = await selftest(Object.fromEntries(ids.map((id) => [id, drift])));
    expect(result.isPassed).toBe(true);
    expect(result.agreement?.relativeL2).toBeGreaterThan(0);
  });
});

describe('runSelftest of a suite and snapshot that do not match', () => {
  const route = { agentLogits: [2, 1], roleLogits: [3, 1, 0], tokenCount: 4 };
  const messages = [{ role: 'user' as const, content: 'x' }];
  const evalCase = { id: 'known', messages, expected: {}, tags: [], notes: '' };
  const entry: SnapshotCase = {
    id: 'known',
    agent_id: 0,
    role_id: 0,
    token_count: 4,
    agent_margin: 1,
    role_margin: 2,
    agent_logits_rounded: route.agentLogits,
    role_logits_rounded: route.roleLogits,
    transcript_hash: upstreamTranscriptHash(messages),
    route_hash: 'c'.repeat(64),
  };
  const selftest = (changes: Partial<SelftestOptions>): Promise<SelftestResult> =>
    runSelftest({
      cases: [evalCase],
      diagnostics: [],
      snapshot: new Map([['known', entry]]),
      router: scriptedRouter(new Map([[routedText(messages), route]])),
      headSha256: 'a',
      referenceHeadSha256: 'a',
      signal: new AbortController().signal,
      onCase: () => undefined,
      ...changes,
    });

  it('passes where each has the other', async () => {
    expect(await selftest({})).toMatchObject({ isPassed: true, passed: 1, suiteProblems: [] });
  });
  it('fails a case without a snapshot entry instead of passing it unseen', async () => {
    expect(await selftest({ snapshot: new Map() })).toMatchObject({ isPassed: false, passed: 0 });
  });
  it('fails a snapshot entry without a case, by name', async () => {
    const snapshot = new Map([
      ['known', entry],
      ['lost', { ...entry, id: 'lost' }],
    ]);
    expect(await selftest({ snapshot })).toMatchObject({
      isPassed: false,
      passed: 1,
      suiteProblems: ['lost: in the snapshot, but not among the cases'],
    });
  });
  it('fails a suite of which something was passed over, and says what', async () => {
    const diagnostic = { file: 'c.json', line: null, caseId: 'bent', code: 'bad_case' } as const;
    const diagnostics = [{ ...diagnostic, message: 'case 2: no prompt' }];
    expect(await selftest({ diagnostics })).toMatchObject({
      isPassed: false,
      passed: 1,
      suiteProblems: ['c.json (bent): case 2: no prompt [bad_case]'],
    });
  });
});
