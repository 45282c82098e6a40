import { expect } from 'vitest';
import { budgetsSchema } from '../../contracts/budgets.ts';
import { endsRun, runEventSchema } from '../../contracts/events.ts';
import { foldRun, openRun } from '../../contracts/fold-run.ts';
import type { Observation, Scenario } from './random-runs.ts';
import { ofType } from './scripted-run.ts';

/** Checks what the loop promises of every run, from outside. Throws at the first that was broken. */
export function checkPromises(seen: Observation, scenario: Scenario): void {
  checkFrame(seen);
  checkTurns(seen);
  checkBudgets(seen, scenario);
  checkAnswer(seen, scenario);
  checkViews(seen);
  checkStop(seen);
}

/** `seq` without a gap, `run_started` first, one terminal event last, all of them valid. */
function checkFrame({ events, left }: Observation): void {
  events.forEach((event, index) => {
    if (event.seq !== index) throw new Error(`event ${index} has seq ${event.seq}`);
  });
  expect(events[0]?.type ?? 'run_started').toBe('run_started');
  const terminals = events.filter(endsRun);
  if (!left) expect(terminals).toEqual([events.at(-1)]);
  else expect(terminals.length).toBeLessThanOrEqual(1);
  for (const event of events) {
    if (!runEventSchema.safeParse(event).success) throw new Error(JSON.stringify(event));
  }
}

/** A turn with a dispatch closes once, with every character that was shown; a window's fold agrees. */
function checkTurns({ events, left }: Observation): void {
  if (left) return;
  const last = Math.max(...events.map(({ turn }) => turn));
  for (let turn = 1; turn <= last; turn++) {
    const own = events.filter((event) => event.turn === turn);
    const closed = ofType(own, 'turn_completed');
    expect(closed).toHaveLength(ofType(own, 'dispatch_started').length > 0 ? 1 : 0);
    const shown = ofType(own, 'delta').filter(({ channel }) => channel === 'text');
    expect(closed[0]?.text ?? '').toBe(shown.map(({ text }) => text).join(''));
    if (closed[0] !== undefined) expect(own.at(-1)).toBe(closed[0]);
  }
  const open = openRun({
    id: 'run-1',
    conversationId: 'c',
    task: '',
    agents: 'slots',
    startedAt: 0,
  });
  const record = events.reduce(foldRun, open);
  expect(record.turns.map(({ text }) => text).join('|')).toBe(
    [...new Set(events.filter(({ turn }) => turn > 0).map(({ turn }) => turn))]
      .map(
        (turn) => ofType(events, 'turn_completed').find((event) => event.turn === turn)?.text ?? '',
      )
      .join('|'),
  );
}

/** Nothing is begun that a budget forbids, computed here from what came before. */
function checkBudgets({ events, attempts }: Observation, scenario: Scenario): void {
  const budgets = budgetsSchema.parse(scenario.budgets);
  expect(attempts.length).toBeLessThanOrEqual(budgets.maxCalls ?? Number.POSITIVE_INFINITY);
  expect(ofType(events, 'dispatch_started').length).toBeLessThanOrEqual(budgets.maxCalls ?? 1e9);
  const startedAt = events[0]?.at ?? 0;
  let revisions = 0;
  let turns = 0;
  let costUsd = 0;
  for (const event of events) {
    if (event.type === 'dispatch_started') {
      expect(turns).toBeLessThan(budgets.maxTurns);
      expect(event.at - startedAt).toBeLessThan(budgets.maxWallMs ?? Number.POSITIVE_INFINITY);
      expect(revisions).toBeLessThanOrEqual(budgets.maxRevisions ?? Number.POSITIVE_INFINITY);
      if (budgets.maxCostUsd !== undefined) {
        if (scenario.estimateUsd === null) expect(budgets.allowUnknownPrices).toBe(true);
        else expect(costUsd + scenario.estimateUsd).toBeLessThanOrEqual(budgets.maxCostUsd + 1e-9);
      }
    }
    if (event.type === 'dispatch_finished') costUsd += event.costUsd ?? scenario.estimateUsd ?? 0;
    if (event.type === 'dispatch_failed' && event.httpStatus === null) {
      costUsd += scenario.estimateUsd ?? 0;
    }
    if (event.type === 'turn_completed' && event.complete) {
      turns += 1;
      if (event.verdict !== null && event.verdict.status !== 'accepted') revisions += 1;
    }
  }
}

/** The answer is the last complete Worker text; nothing is accepted without one unless the guard is off. */
function checkAnswer({ events }: Observation, { guardVerifier, given }: Scenario): void {
  const last = events.at(-1);
  if (last === undefined || !endsRun(last)) return;
  const worker = ofType(events, 'turn_completed').filter(
    ({ role, complete, text }) => role === 'Worker' && complete && text.trim() !== '',
  );
  const fromTask = given.filter((text) => text.trim() !== '').at(-1) ?? null;
  expect(last.answer).toBe(worker.at(-1)?.text ?? fromTask);
  if (last.type !== 'run_completed' || last.status !== 'accepted') return;
  expect(last.verdict?.status).toBe('accepted');
  if (guardVerifier) expect(last.answer).not.toBeNull();
}

function checkViews({ views }: Observation): void {
  for (const { view } of views) {
    view.messages.forEach(({ role }, index) => {
      expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant');
    });
    expect(view.messages.at(-1)?.role).toBe('user');
  }
}

/** After a stop no attempt begins, the end comes without the clock moving, and nothing stays open. */
function checkStop({ attempts, stopToEndMs, timersLeft, signalsOpen }: Observation): void {
  expect(attempts.filter(({ afterStop }) => afterStop)).toEqual([]);
  if (stopToEndMs !== null) expect(stopToEndMs).toBe(0);
  expect(timersLeft).toBe(0);
  expect(signalsOpen).toBe(0);
}
