import type { Agents } from '../../contracts/agents.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import { chatRouteDefaults, selectionSchema, type RouteDecision } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import type { Settings } from '../../contracts/settings.ts';
import type { RunRecord } from '../../contracts/stored.ts';
import { decide } from '../../coordinator/decision.ts';
import { answerToJudge } from '../../coordinator/guard.ts';
import { transcriptHash } from '../../coordinator/hash.ts';
import { runTurns } from '../../coordinator/loop.ts';
import type { RouteDefaults } from '../../coordinator/run.ts';
import { routedView, type Transcript } from '../../coordinator/views.ts';
import type { RunLoop, WhatIf } from './run-loop.ts';

export interface CoordinatorParts {
  readonly settings: () => Settings;
  readonly router: Router;
  readonly agents: (kind: RunRecord['agents']) => Agents;
  readonly clock: Clock;
  readonly random: RandomSource;
}

/** The coordinator's loop with the settings as they are when a run starts. */
export function coordinatorLoop(parts: CoordinatorParts): RunLoop {
  const { settings, router, agents, clock, random } = parts;
  const routeDefaults = (): RouteDefaults => ({
    ...chatRouteDefaults,
    windowTokens: settings().windowTokens,
  });
  return {
    agentsKind: () => settings().agents,
    run(start, signal) {
      const now = settings();
      return runTurns({
        runId: start.runId,
        task: start.task,
        history: start.earlier,
        systemPrompt: start.systemPrompt,
        pins: start.pins,
        budgets: now.budgets,
        selection: selectionSchema.parse({}),
        options: now.coordinator,
        roleInstructions: now.roleInstructions,
        router,
        routeDefaults: routeDefaults(),
        cacheKey: start.conversationId,
        agents: agents(now.agents),
        clock,
        random,
        signal,
      });
    },
    decide: (question, signal) =>
      whatIf(question, {
        ...parts,
        routeDefaults: routeDefaults(),
        guardVerifier: settings().coordinator.guardVerifier,
        slots: agents(settings().agents).slots(),
        signal,
      }),
  };
}

interface WhatIfParts extends Pick<CoordinatorParts, 'router'> {
  readonly routeDefaults: RouteDefaults;
  readonly guardVerifier: boolean;
  readonly slots: ReturnType<Agents['slots']>;
  readonly signal: AbortSignal | undefined;
}

/** Routes a first turn without calling anyone: the prefix cache is read and never written. */
async function whatIf(question: WhatIf, parts: WhatIfParts): Promise<RouteDecision> {
  const transcript: Transcript = {
    systemPrompt: question.systemPrompt,
    history: question.earlier,
    task: question.task,
    given: [],
    turns: [],
  };
  const messages = routedView(transcript);
  const logits = await parts.router.route(
    { ...parts.routeDefaults, messages, cacheKey: question.conversationId, cache: 'read' },
    parts.signal === undefined ? {} : { signal: parts.signal },
  );
  return decide({
    logits,
    transcriptHash: transcriptHash(messages),
    turn: 1,
    selection: selectionSchema.parse({}),
    pins: question.pins,
    suggestion: null,
    hasAnswer: answerToJudge(transcript) !== null,
    guardVerifier: parts.guardVerifier,
    masks: parts.slots.map((slot, index) =>
      question.disabledSlots.includes(index) ? 'disabled' : slot.mask,
    ),
  });
}
