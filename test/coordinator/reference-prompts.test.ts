import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { roleNames } from '../../contracts/roles.ts';
import { routedText, type Message } from '../../contracts/transcript.ts';
import { routedView } from '../../coordinator/views.ts';
import { skipUnless } from '../fixtures/skip.ts';
import {
  ScriptedAgents,
  ScriptedRouter,
  collect,
  ofType,
  runInput,
  says,
  terminalOf,
  withLogits,
} from './scripted-run.ts';

const folder = new URL('../../../shared/data/', import.meta.url);
const casesFile = fileURLToPath(new URL('router_prompt_eval_cases.json', folder));
const snapshotFile = fileURLToPath(new URL('router_prompt_eval_snapshot_cuda.json', folder));
const present = existsSync(casesFile) && existsSync(snapshotFile);

interface Case {
  readonly id: string;
  readonly messages: readonly Message[];
}

interface Snapshot {
  readonly id: string;
  readonly agent_id: number;
  readonly role_id: number;
  readonly agent_margin: number;
  readonly role_margin: number;
  readonly agent_logits_rounded: number[];
  readonly role_logits_rounded: number[];
}

function read<T>(path: string): readonly T[] {
  return (JSON.parse(readFileSync(path, 'utf8')) as { cases: T[] }).cases;
}

/** The case as a run begins with it: system prompt, task, and the answers that are already there. */
function opening(messages: readonly Message[]) {
  const task = messages.find(({ role }) => role === 'user')?.content ?? '';
  return {
    systemPrompt: messages.find(({ role }) => role === 'system')?.content ?? '',
    task,
    given: messages.filter(({ role }) => role === 'assistant').map(({ content }) => content),
  };
}

skipUnless(present, 'the reference prompts (../shared/data) are not here').describe(
  'the reference prompts through a scripted router',
  () => {
    const cases = present ? read<Case>(casesFile) : [];
    const snapshots = new Map(
      (present ? read<Snapshot>(snapshotFile) : []).map((snapshot) => [snapshot.id, snapshot]),
    );
    const snapshotOf = (id: string): Snapshot => {
      const snapshot = snapshots.get(id);
      if (snapshot === undefined) throw new Error(`no stored logits for ${id}`);
      return snapshot;
    };
    const runOf = async ({ id, messages }: Case) => {
      const { agent_logits_rounded, role_logits_rounded } = snapshotOf(id);
      const router = new ScriptedRouter([withLogits(agent_logits_rounded, role_logits_rounded)]);
      const agents = new ScriptedAgents([], 7);
      agents.call = (call) => {
        agents.calls.push(call);
        return says(call.role === 'Verifier' ? 'ACCEPT' : 'Done.')(call, AbortSignal.abort());
      };
      return collect(runInput({ router, agents, ...opening(messages) }));
    };

    it('are thirty-seven, and a run routes exactly their messages first', () => {
      expect(cases).toHaveLength(37);
      for (const { messages } of cases) {
        const view = routedView({ history: [], turns: [], ...opening(messages) });
        expect(routedText(view)).toBe(routedText(messages));
      }
    });

    it('recompute the stored choices, and the margins within 1e-6', async () => {
      for (const one of cases) {
        const stored = snapshotOf(one.id);
        const decision = ofType(await runOf(one), 'routed')[0]?.decision;
        expect(decision?.slot.raw, one.id).toBe(stored.agent_id);
        expect(decision?.role.raw, one.id).toBe(roleNames[stored.role_id]);
        expect(Math.abs((decision?.agentMargin ?? 99) - stored.agent_margin)).toBeLessThan(1e-6);
        expect(Math.abs((decision?.roleMargin ?? 99) - stored.role_margin)).toBeLessThan(1e-6);
      }
    });

    it('redirect exactly 12 of 15 Verifier choices on the first turn, and end without error', async () => {
      let chosen = 0;
      let redirected = 0;
      for (const one of cases) {
        const events = await runOf(one);
        const role = ofType(events, 'routed')[0]?.decision.role;
        if (role?.raw === 'Verifier') chosen += 1;
        if (role?.reason.kind === 'guard') redirected += 1;
        expect(role?.effective === 'Worker' || role?.reason.kind === 'router').toBe(true);
        const terminal = terminalOf(events);
        expect(terminal.type, one.id).toBe('run_completed');
        // A role that stays the same for every turn ends by accept where a Verifier has something to judge.
        expect(terminal).toMatchObject({
          status: role?.raw === 'Verifier' ? 'accepted' : 'max_turns',
        });
      }
      expect({ chosen, redirected }).toEqual({ chosen: 15, redirected: 12 });
    });

    it('judge the answer that came with the task, and give it back when it is accepted', async () => {
      const events = await runOf(cases.find(({ id }) => id === 'verify_simple') as Case);
      const given = opening(cases.find(({ id }) => id === 'verify_simple')?.messages ?? []).given;
      expect(terminalOf(events)).toMatchObject({ status: 'accepted', answer: given.at(-1) });
    });
  },
);
