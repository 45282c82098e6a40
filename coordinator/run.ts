import type { Agents } from '../contracts/agents.ts';
import type { Budgets } from '../contracts/budgets.ts';
import type { BudgetKind, RunEvent, Verdict } from '../contracts/events.ts';
import type { Clock, RandomSource } from '../contracts/ports.ts';
import type { RouteRequest, Selection } from '../contracts/route.ts';
import type { Router } from '../contracts/router.ts';
import type { Spent } from './budgets.ts';
import type { Pins } from './decision.ts';
import { answerToJudge } from './guard.ts';
import type { RoleInstructions } from './instructions.ts';
import { Interrupts, type Interruption } from './interrupts.ts';
import type { PastRun, RunTurn, Transcript } from './views.ts';

export interface RunOptions {
  /** Without an answer to judge, a Verifier becomes a Worker and no accept ends the run. */
  readonly guardVerifier: boolean;
  /** A Thinker's suggestion sets the role of the next turn. */
  readonly followSuggestions: boolean;
  readonly acceptWord: string;
  readonly reviseWord: string;
}

/** How a run asks the router; its messages and its cache use are the loop's. */
export type RouteDefaults = Pick<RouteRequest, 'windowTokens' | 'messageCharacters' | 'tokenizer'>;

export interface RunInput {
  readonly runId: string;
  readonly task: string;
  /** Earlier runs of the conversation, oldest first. */
  readonly history: readonly PastRun[];
  readonly systemPrompt: string;
  /** Assistant texts that come with the task, to be judged; usually none. */
  readonly given?: readonly string[];
  readonly pins: Pins;
  readonly budgets: Budgets;
  readonly selection: Selection;
  readonly options: RunOptions;
  readonly roleInstructions: RoleInstructions;
  readonly router: Router;
  readonly routeDefaults: RouteDefaults;
  /** Prefix-cache key: conversation and branch. */
  readonly cacheKey?: string | undefined;
  readonly agents: Agents;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** The person's Stop. */
  readonly signal: AbortSignal;
}

/** How a run ends. */
export type Ending =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'budget'; readonly budget: BudgetKind }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string };

type Unstamped<E> = E extends RunEvent ? Omit<E, 'v' | 'seq' | 'runId' | 'at'> : never;

/** What one run has come to: its turns, what it spent, its interrupts, and the numbering of its events. */
export class Run {
  readonly input: RunInput;
  readonly interrupts: Interrupts;
  readonly turns: RunTurn[] = [];
  calls = 0;
  revisions = 0;
  costUsd = 0;
  verdict: Verdict | null = null;
  readonly #startedAt: number;
  #seq = 0;

  constructor(input: RunInput) {
    this.input = input;
    this.#startedAt = input.clock.monotonic();
    this.interrupts = new Interrupts(input.signal, input.clock);
    this.interrupts.deadline(input.budgets.maxWallMs, 'wall_time');
  }

  /** The event as it leaves the loop. Every event is stamped once, in the order in which they leave. */
  stamp(event: Unstamped<RunEvent>): RunEvent {
    const { runId, clock } = this.input;
    return { v: 1, seq: this.#seq++, runId, at: clock.now(), ...event } as RunEvent;
  }

  get spent(): Spent {
    return {
      turns: this.turns.length,
      calls: this.calls,
      revisions: this.revisions,
      costUsd: this.costUsd,
      elapsedMs: this.input.clock.monotonic() - this.#startedAt,
    };
  }

  get transcript(): Transcript {
    const { systemPrompt, history, task, given = [] } = this.input;
    return { systemPrompt, history, task, given, turns: this.turns };
  }

  get answer(): string | null {
    return answerToJudge(this.transcript);
  }

  close(): void {
    this.interrupts.close();
  }
}

/** The ending that an interruption brings. */
export function endingOf(cause: Interruption): Ending {
  return cause === 'stopped' ? { kind: 'stopped' } : { kind: 'budget', budget: cause };
}
