import type { Agents } from '../../contracts/agents.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import { chatRouteDefaults } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import type { Settings } from '../../contracts/settings.ts';
import type { RunRecord } from '../../contracts/stored.ts';
import { runTurns } from '../../coordinator/loop.ts';
import { whatIf } from '../../coordinator/what-if.ts';
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
  const { router, agents, clock, random } = parts;
  return {
    agentsKind: () => parts.settings().agents,
    slotCount: () => agents(parts.settings().agents).count,
    run(start, signal) {
      const settings = parts.settings();
      return runTurns({
        ...routed(start, settings),
        runId: start.runId,
        budgets: settings.budgets,
        options: settings.coordinator,
        roleInstructions: settings.roleInstructions,
        agents: agents(settings.agents),
        ...{ router, clock, random, signal },
      });
    },
    decide(question, signal) {
      const settings = parts.settings();
      return whatIf({
        ...routed(question, settings),
        disabledSlots: question.disabledSlots,
        guardVerifier: settings.coordinator.guardVerifier,
        slots: agents(settings.agents).slots(),
        ...{ router, signal },
      });
    },
  };
}

/** What a run and a what-if have in common. The prefix cache is kept by conversation. */
function routed(start: Omit<WhatIf, 'disabledSlots'>, settings: Settings) {
  return {
    task: start.task,
    history: start.earlier,
    systemPrompt: start.systemPrompt,
    pins: start.pins,
    selection: settings.selection,
    routeDefaults: { ...chatRouteDefaults, windowTokens: settings.windowTokens },
    cacheKey: start.conversationId ?? undefined,
  };
}
