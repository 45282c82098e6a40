import { describe, expect, it } from 'vitest';
import type { EvalCase, EvalCaseResult } from '../../../contracts/evals.ts';
import { routedText } from '../../../contracts/transcript.ts';
import type { Floors } from '../../../main/evals/judgement.ts';
import type { CaseLine } from '../../../main/evals/results-file.ts';
import {
  emptySummary,
  runCases,
  summarise,
  type RunnerOptions,
} from '../../../main/evals/runner.ts';
import { readSnapshot, type Snapshot } from '../../../main/evals/snapshot.ts';
import { parseCase } from '../../../main/evals/case-parser.ts';
import { skipUnless } from '../../fixtures/skip.ts';
import {
  hasReference,
  noReference,
  rawSnapshot,
  referenceCases,
  referencePaths,
  type RawSnapshotCase,
} from './reference-fixture.ts';
import { scriptedRouter, type ScriptedRoute } from './scripted-router.ts';

const noFloors: Floors = { agent: null, role: null, source: 'none' };

function evalCase(id: string, expected: object = {}): EvalCase {
  const parsed = parseCase({ id, prompt: id, expected });
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

async function run(
  cases: readonly EvalCase[],
  options: Partial<RunnerOptions> & Pick<RunnerOptions, 'router'>,
): Promise<CaseLine[]> {
  const lines: CaseLine[] = [];
  const generator = runCases(stream(cases), {
    floors: noFloors,
    snapshot: null,
    isReportOnly: false,
    determinismRuns: 1,
    tokenizer: 'typed',
    signal: new AbortController().signal,
    ...options,
  });
  for await (const line of generator) lines.push(line);
  return lines;
}

async function* stream(cases: readonly EvalCase[]): AsyncGenerator<EvalCase> {
  yield* cases;
}

const worker: ScriptedRoute = { agentLogits: [1, 5, 2], roleLogits: [3, 1, 2], tokenCount: 7 };
const script = new Map([
  ['user: a', worker],
  ['user: b', worker],
]);

describe('runCases', () => {
  it('passes a case whose slot and role are among the expected ones', async () => {
    const [line] = await run([evalCase('a', { agent: [0, 1], role: 'worker' })], {
      router: scriptedRouter(script),
    });
    expect(line).toMatchObject({
      status: 'passed',
      agentId: 1,
      roleId: 0,
      agentMargin: 3,
      roleMargin: 1,
    });
  });
  it('fails by name what is not expected', async () => {
    const [line] = await run([evalCase('a', { agent: 0, role: 2 })], {
      router: scriptedRouter(script),
    });
    expect(line).toMatchObject({ status: 'failed', failures: ['agent', 'role'] });
  });
  it('reports a case that asserts nothing, and everything when asked to', async () => {
    const router = scriptedRouter(script);
    expect((await run([evalCase('a')], { router }))[0]?.status).toBe('reported');
    const [line] = await run([evalCase('a', { agent: 0 })], { router, isReportOnly: true });
    expect(line).toMatchObject({ status: 'reported', failures: [] });
  });
  it('passes a margin that equals its floor and fails one under it', async () => {
    const router = scriptedRouter(script);
    const at = await run([evalCase('a')], {
      router,
      floors: { agent: 3, role: 1, source: 'flag' },
    });
    expect(at[0]?.status).toBe('passed');
    const over = await run([evalCase('a')], {
      router,
      floors: { agent: 3.0001, role: 0, source: 'flag' },
    });
    expect(over[0]).toMatchObject({ status: 'failed', failures: ['agent_margin'] });
  });
  it('fails a case whose logits differ in one bit between two routes, even when only reporting', async () => {
    let call = 0;
    const router = scriptedRouter(script);
    const unsteady = {
      async route(...args: Parameters<typeof router.route>) {
        const logits = await router.route(...args);
        call += 1;
        return call === 2 ? { ...logits, agentLogits: [1, 5 + 2 ** -40, 2] } : logits;
      },
    };
    const lines = await run([evalCase('a'), evalCase('b')], {
      router: unsteady,
      determinismRuns: 3,
      isReportOnly: true,
    });
    expect(lines.map((line) => line.status)).toEqual(['failed', 'reported']);
    expect((lines[0] as EvalCaseResult).failures).toEqual(['determinism']);
    expect(call).toBe(6);
  });
  it('goes on after a case that cannot be routed, and names the error', async () => {
    const lines = await run([evalCase('unknown'), evalCase('a')], {
      router: scriptedRouter(script),
    });
    expect(lines.map((line) => line.status)).toEqual(['error', 'reported']);
    expect(lines[0]).toMatchObject({ type: 'case_error', code: 'internal' });
  });
  it('gives no line for the case during which it was cancelled', async () => {
    const abort = new AbortController();
    const router = scriptedRouter(script, (_text, call) => {
      if (call === 2) abort.abort();
    });
    const lines = await run([evalCase('a'), evalCase('b')], { router, signal: abort.signal });
    expect(lines.map((line) => line.id)).toEqual(['a']);
  });
});

describe('summarise', () => {
  it('counts statuses, slots and roles and keeps the worst margins', async () => {
    const lines = await run(
      [evalCase('a', { agent: 1 }), evalCase('b', { agent: 0 }), evalCase('c')],
      {
        router: scriptedRouter(script),
      },
    );
    expect(lines.reduce(summarise, emptySummary)).toMatchObject({
      passed: 1,
      failed: 1,
      errors: 1,
      agents: { 1: 2 },
      roles: { 0: 2 },
      worstAgentMargin: { id: 'a', margin: 3 },
    });
  });
});

skipUnless(hasReference, noReference).describe(
  'the published suite on a router that returns the stored logits',
  () => {
    const floors: Floors = { agent: 0.24, role: 1.06, source: 'flag' };

    async function runReference(
      change: (route: ScriptedRoute, id: string) => ScriptedRoute,
      cases = referenceCases(),
    ): Promise<{ failed: string[]; passed: number }> {
      const byId = new Map(rawSnapshot().map((entry) => [entry.id, entry]));
      const routes = new Map(
        cases.map((entry) => [
          routedText(entry.messages),
          change(stored(byId.get(entry.id)!), entry.id),
        ]),
      );
      const snapshot: Snapshot = await readSnapshot(referencePaths.snapshot);
      const lines = await run(cases, { router: scriptedRouter(routes), floors, snapshot });
      return {
        passed: lines.filter((line) => line.status === 'passed').length,
        failed: lines
          .filter(
            (line): line is EvalCaseResult => line.type === 'case' && line.status === 'failed',
          )
          .map((line) => `${line.id}: ${line.failures.join()}`),
      };
    }

    function stored(entry: RawSnapshotCase): ScriptedRoute {
      return {
        agentLogits: entry.agent_logits_rounded,
        roleLogits: entry.role_logits_rounded,
        tokenCount: entry.token_count,
      };
    }

    const only =
      (wanted: string, change: (route: ScriptedRoute) => ScriptedRoute) =>
      (route: ScriptedRoute, id: string): ScriptedRoute =>
        id === wanted ? change(route) : route;

    it('passes 37 of 37 with upstream floors', async () => {
      expect(await runReference((route) => route)).toEqual({ passed: 37, failed: [] });
    });
    it('fails the one case whose margin is lowered under the floor', async () => {
      const result = await runReference(
        only('unicode_emoji', (route) => ({
          ...route,
          agentLogits: route.agentLogits.map((logit, index) => (index === 1 ? logit - 0.1 : logit)),
        })),
      );
      expect(result.failed).toEqual(['unicode_emoji: agent_margin']);
    });
    it('fails the one case whose decision is flipped', async () => {
      const result = await runReference(
        only('math_proof', (route) => ({ ...route, roleLogits: [...route.roleLogits].reverse() })),
      );
      expect(result).toMatchObject({ passed: 36 });
      expect(result.failed).toEqual(['math_proof: role,snapshot_role']);
    });
    it('fails the one case whose token count changed', async () => {
      const result = await runReference(
        only('sql_query', (route) => ({ ...route, tokenCount: route.tokenCount + 1 })),
      );
      expect(result.failed).toEqual(['sql_query: token_count']);
    });
    it('fails the one case whose transcript was edited', async () => {
      const cases = referenceCases().map((entry) =>
        entry.id === 'planning'
          ? { ...entry, messages: [{ role: 'user' as const, content: 'Edited.' }] }
          : entry,
      );
      const result = await runReference((route) => route, cases);
      expect(result.failed).toEqual(['planning: transcript_hash']);
    });
  },
);
