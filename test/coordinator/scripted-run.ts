import type { AgentCall, AgentEvent, Agents, SlotState } from '../../contracts/agents.ts';
import { budgetsSchema } from '../../contracts/budgets.ts';
import type { RunEvent, RunEventOf, RunEventType } from '../../contracts/events.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import { roleNames, type RoleName } from '../../contracts/roles.ts';
import {
  chatRouteDefaults,
  selectionSchema,
  type MaskCause,
  type RouteLogits,
  type RouteRequest,
} from '../../contracts/route.ts';
import type { Router, RouteOptions } from '../../contracts/router.ts';
import { settingsSchema } from '../../contracts/settings.ts';
import { runTurns } from '../../coordinator/loop.ts';
import type { RunInput } from '../../coordinator/run.ts';

/** A clock that moves when it is told to; due callbacks run in order of their time. */
export class FakeClock implements Clock {
  #time = 0;
  #timers: { at: number; callback: () => void }[] = [];
  now(): number {
    return 1_700_000_000_000 + this.#time;
  }
  monotonic(): number {
    return this.#time;
  }
  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#time + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }
  get pending(): number {
    return this.#timers.length;
  }
  /** Moves to the next timer and lets it fire; false when there is none. */
  advanceToNext(): boolean {
    if (this.#timers.length === 0) return false;
    const next = Math.min(...this.#timers.map(({ at }) => at));
    this.advance(Math.max(0, next - this.#time));
    return true;
  }
  advance(ms: number): void {
    const end = this.#time + ms;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== due);
      this.#time = Math.max(this.#time, due.at);
      due.callback();
    }
    this.#time = end;
  }
}

/** A run's options where nobody has set any. */
export const defaultRunOptions = settingsSchema.parse({ version: 1 }).coordinator;

export const fixedRandom: RandomSource = { next: () => 0.5, id: () => 'id' };

/** Logits that choose a slot and a role clearly. */
export function logitsFor(slot: number, role: RoleName, slots = 3): RouteLogits {
  return withLogits(
    Array.from({ length: slots }, (_, index) => (index === slot ? 5 : -index)),
    roleNames.map((name) => (name === role ? 4 : -1)),
  );
}

export function withLogits(agentLogits: number[], roleLogits: number[]): RouteLogits {
  return {
    agentLogits,
    roleLogits,
    tokenCount: 13,
    hiddenIndex: 11,
    window: { limit: 2048, omitted: 0, cut: 0 },
    reusedTokens: 0,
    timings: { queueMs: 0, tokenizeMs: 1, runMs: 2, totalMs: 3, chunks: 1 },
    profile: 'cpu-f32',
    adapterRef: 'a'.repeat(64),
    graphVersion: 1,
    tokenizer: 'typed',
    routedHash: `v1:${'b'.repeat(64)}`,
  };
}

/** Routes in the order of a script; its last entry repeats. */
export class ScriptedRouter implements Router {
  readonly requests: RouteRequest[] = [];
  readonly #script: readonly (RouteLogits | Error | 'never')[];
  constructor(script: readonly (RouteLogits | Error | 'never')[]) {
    this.#script = script;
  }
  async route(request: RouteRequest, _options?: RouteOptions): Promise<RouteLogits> {
    this.requests.push(request);
    const step = this.#script[Math.min(this.requests.length, this.#script.length) - 1];
    if (step === undefined || step === 'never') return new Promise(() => {});
    if (step instanceof Error) throw step;
    return step;
  }
}

export type ScriptedCall = (call: AgentCall, signal: AbortSignal) => AsyncIterable<AgentEvent>;

/** Agents that answer in the order of a script; its last entry repeats. */
export class ScriptedAgents implements Agents {
  readonly kind = 'slots';
  readonly count: number;
  readonly calls: AgentCall[] = [];
  masks: (MaskCause | null)[];
  systemSuffix = '';
  usd: number | null = 0;
  readonly #script: readonly ScriptedCall[];
  constructor(script: readonly ScriptedCall[], count = 3) {
    this.#script = script;
    this.count = count;
    this.masks = Array.from({ length: count }, () => null);
  }
  slots(): readonly SlotState[] {
    return this.masks.map((mask, index) => ({
      mask,
      health: { state: 'untried' },
      provider: 'scripted',
      model: `model-${index}`,
      systemSuffix: this.systemSuffix,
    }));
  }
  estimateCost() {
    return { usd: this.usd, reason: 'The price of this model is not known.' };
  }
  call(call: AgentCall, signal: AbortSignal): AsyncIterable<AgentEvent> {
    this.calls.push(call);
    const step = this.#script[Math.min(this.calls.length, this.#script.length) - 1];
    if (step === undefined) throw new Error('no scripted call');
    return step(call, signal);
  }
}

export function finished(costUsd: number | null = null): AgentEvent {
  return {
    type: 'finished',
    finishReason: 'stop',
    usage: null,
    costUsd,
    resolvedModel: null,
    requestId: null,
    firstTokenMs: 1,
    latencyMs: 2,
    skippedChunks: 0,
  };
}

export function failure(
  code: string,
  { retrying = false, httpStatus = null as number | null } = {},
): AgentEvent {
  return { type: 'failed', code, message: `${code} happened`, httpStatus, retrying, latencyMs: 2 };
}

export function delta(text: string, channel: 'text' | 'reasoning' = 'text'): AgentEvent {
  return { type: 'delta', channel, text };
}

/** A call that yields these events and ends. */
export function streams(...events: AgentEvent[]): ScriptedCall {
  return async function* () {
    yield* events;
  };
}

/** A call that answers with a text in two pieces. */
export function says(text: string, costUsd: number | null = null): ScriptedCall {
  const half = Math.ceil(text.length / 2);
  return streams(
    { type: 'started', provider: 'scripted', model: 'model' },
    delta(text.slice(0, half)),
    delta(text.slice(half)),
    finished(costUsd),
  );
}

/** A call that yields these events and then hangs, deaf to its signal. */
export function hangsAfter(...events: AgentEvent[]): ScriptedCall {
  return async function* () {
    yield* events;
    await new Promise(() => {});
  };
}

export type RunOverrides = Partial<RunInput>;

/** A run's input with everything that a test does not care about. */
export function runInput(
  parts: { router: Router; agents: Agents } & RunOverrides,
): RunInput & { readonly clock: Clock } {
  return {
    runId: 'run-1',
    task: 'What is 6 times 7?',
    history: [],
    systemPrompt: '',
    pins: {},
    budgets: budgetsSchema.parse({}),
    selection: selectionSchema.parse({}),
    options: defaultRunOptions,
    roleInstructions: {},
    routeDefaults: chatRouteDefaults,
    clock: new FakeClock(),
    random: fixedRandom,
    signal: new AbortController().signal,
    ...parts,
  };
}

/** Runs to the end, calling back before each next event is asked for. */
export async function collect(
  input: RunInput,
  onEvent: (event: RunEvent) => void = () => {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of runTurns(input)) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

export function ofType<T extends RunEventType>(
  events: readonly RunEvent[],
  type: T,
): RunEventOf<T>[] {
  return events.filter((event): event is RunEventOf<T> => event.type === type);
}

export function terminalOf(events: readonly RunEvent[]) {
  const last = events.at(-1);
  if (last?.type !== 'run_completed' && last?.type !== 'run_failed') {
    throw new Error(`the run ended with ${last?.type}`);
  }
  return last;
}
