import fc from 'fast-check';
import type { AgentCall, AgentEvent, Agents, SlotState } from '../../contracts/agents.ts';
import { budgetsSchema, type Budgets } from '../../contracts/budgets.ts';
import type { RunEvent } from '../../contracts/events.ts';
import type { Clock } from '../../contracts/ports.ts';
import { roleNames, type RoleName } from '../../contracts/roles.ts';
import type { MaskCause, RouteLogits } from '../../contracts/route.ts';
import type { Router } from '../../contracts/router.ts';
import { runTurns } from '../../coordinator/loop.ts';
import type { Pins } from '../../coordinator/decision.ts';
import {
  FakeClock,
  delta,
  failure,
  finished,
  logitsFor,
  runInput,
  defaultRunOptions,
} from './scripted-run.ts';

/** One step of a scripted call; `wait` is deaf to the signal when `deaf`. */
type CallStep =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'wait'; readonly ms: number; readonly deaf: boolean }
  | { readonly kind: 'retry'; readonly httpStatus: number | null };
type CallEnd = 'finish' | 'fail' | 'throw' | 'vanish' | 'hang';

interface CallScript {
  readonly steps: readonly CallStep[];
  readonly end: CallEnd;
  readonly costUsd: number | null;
}

type RouteStep =
  | { readonly kind: 'choose'; readonly slot: number; readonly role: RoleName; readonly ms: number }
  | { readonly kind: 'fail' | 'hang' | 'nonsense' };

/** Everything that happens around one run. */
export interface Scenario {
  readonly routes: readonly RouteStep[];
  readonly calls: readonly CallScript[];
  /** Masks before each routing, in turn. */
  readonly masks: readonly (readonly (MaskCause | null)[])[];
  readonly budgets: Partial<Budgets>;
  readonly estimateUsd: number | null;
  readonly pins: Pins;
  readonly guardVerifier: boolean;
  readonly followSuggestions: boolean;
  readonly given: readonly string[];
  readonly history: readonly { task: string; answer: string | null }[];
  /** Every run is stopped at last, so that one that hangs ends. */
  readonly stopAtMs: number;
  /** Stops while this event is in the consumer's hands. */
  readonly stopAtEvent: number | null;
  /** The consumer leaves with this event in hand. */
  readonly leaveAtEvent: number | null;
}

const slots = 3;
const reply = fc.constantFrom(
  'It is 42.',
  'ACCEPT',
  '**accept**: fine',
  'REVISE: no',
  'I cannot ACCEPT',
  '',
  ' ',
  '<suggestion>go</suggestion><suggested_role>verifier</suggested_role>',
  '<suggestion>go</suggestion><suggested_role>worker</suggested_role>',
);
const step: fc.Arbitrary<CallStep> = fc.oneof(
  { weight: 6, arbitrary: reply.map((text) => ({ kind: 'text', text }) as const) },
  { weight: 1, arbitrary: reply.map((text) => ({ kind: 'reasoning', text }) as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.integer({ min: 0, max: 400 }),
      deaf: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(null, 429, 503)
      .map((httpStatus) => ({ kind: 'retry', httpStatus }) as const),
  },
);
const usd = fc.option(fc.constantFrom(0, 0.01, 0.05), { nil: null });
const call: fc.Arbitrary<CallScript> = fc.record({
  steps: fc.array(step, { maxLength: 4 }),
  end: fc.oneof(
    { weight: 10, arbitrary: fc.constant<CallEnd>('finish') },
    { weight: 5, arbitrary: fc.constantFrom<CallEnd>('fail', 'fail', 'throw', 'vanish', 'hang') },
  ),
  costUsd: usd,
});
const role = fc.constantFrom(...roleNames);
const route: fc.Arbitrary<RouteStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('choose' as const),
      slot: fc.nat(slots - 1),
      role,
      ms: fc.constantFrom(0, 0, 5, 200),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('fail', 'hang', 'nonsense').map((kind) => ({ kind }) as const),
  },
);
const mask = fc.oneof(
  { weight: 8, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom<MaskCause>('disabled', 'unhealthy', 'budget') },
);
const masksOfSlots = fc.oneof(
  { weight: 30, arbitrary: fc.array(mask, { minLength: slots, maxLength: slots }) },
  { weight: 1, arbitrary: fc.constant<MaskCause[]>(['disabled', 'unhealthy', 'budget']) },
);
const orAbsent = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  routes: fc.array(route, { minLength: 1, maxLength: 6 }),
  calls: fc.array(call, { minLength: 1, maxLength: 6 }),
  masks: fc.array(masksOfSlots, { minLength: 1, maxLength: 3 }),
  budgets: fc.record({
    maxTurns: fc.integer({ min: 1, max: 6 }),
    maxCalls: orAbsent(fc.integer({ min: 1, max: 5 })),
    maxWallMs: orAbsent(fc.integer({ min: 1, max: 900 })),
    maxLatencyMs: orAbsent(fc.integer({ min: 1, max: 400 })),
    maxRevisions: orAbsent(fc.integer({ min: 0, max: 2 })),
    maxCostUsd: orAbsent(fc.constantFrom(0.04, 0.1, 0.2)),
    allowUnknownPrices: fc.boolean(),
  }),
  estimateUsd: usd,
  pins: fc.record({ slot: orAbsent(fc.nat(slots)), role: orAbsent(role) }, { requiredKeys: [] }),
  guardVerifier: fc.boolean(),
  followSuggestions: fc.boolean(),
  given: fc.oneof(fc.constant<string[]>([]), fc.array(reply, { maxLength: 2 })),
  history: fc.array(fc.record({ task: reply, answer: fc.option(reply, { nil: null }) }), {
    maxLength: 3,
  }),
  stopAtMs: fc.integer({ min: 0, max: 3000 }),
  stopAtEvent: fc.option(fc.nat(30), { nil: null, freq: 2 }),
  leaveAtEvent: fc.option(fc.nat(20), { nil: null, freq: 8 }),
});

/** What was seen of one run, from outside the loop. */
export interface Observation {
  readonly events: readonly RunEvent[];
  readonly left: boolean;
  readonly views: readonly AgentCall[];
  /** For every attempt that an agent began: whether the stop had come, and how many came before. */
  readonly attempts: readonly { readonly afterStop: boolean }[];
  /** Milliseconds of the fake clock between the stop and the terminal event. */
  readonly stopToEndMs: number | null;
  /** Timers that the loop itself left running. */
  readonly timersLeft: number;
  readonly signalsOpen: number;
}

/** Plays a scenario: the clock moves only when nothing else can. */
export async function play(scenario: Scenario): Promise<Observation> {
  const clock = new FakeClock();
  const stop = new AbortController();
  let stoppedAt: number | null = null;
  const halt = () => {
    stoppedAt ??= clock.monotonic();
    stop.abort();
  };
  clock.after(scenario.stopAtMs, halt);
  const agents = new RandomAgents(scenario, clock, stop.signal);
  let timersLeft = 0;
  const clockOfLoop: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, callback) => {
      timersLeft += 1;
      let open = true;
      const close = () => {
        if (open) timersLeft -= 1;
        open = false;
      };
      const cancel = clock.after(ms, () => {
        close();
        callback();
      });
      return () => {
        close();
        cancel();
      };
    },
  };
  const generator = runTurns(
    runInput({
      router: randomRouter(scenario, clock),
      agents,
      clock: clockOfLoop,
      signal: stop.signal,
      pins: scenario.pins,
      budgets: budgetsSchema.parse(scenario.budgets),
      options: {
        ...defaultRunOptions,
        guardVerifier: scenario.guardVerifier,
        followSuggestions: scenario.followSuggestions,
      },
      given: scenario.given,
      history: scenario.history,
    }),
  );
  const events: RunEvent[] = [];
  let left = false;
  for (;;) {
    const result = await whileMoving(clock, generator.next());
    if (result.done === true) break;
    events.push(result.value);
    if (events.length === scenario.leaveAtEvent) {
      await generator.return();
      left = true;
      break;
    }
    if (events.length === scenario.stopAtEvent) halt();
    if (events.length > 500) throw new Error('the run does not end');
  }
  return {
    events,
    left,
    views: agents.calls,
    attempts: agents.attempts,
    stopToEndMs: stoppedAt === null ? null : clock.monotonic() - stoppedAt,
    timersLeft,
    signalsOpen: agents.signals.filter((signal) => !signal.aborted).length,
  };
}

/** Lets microtasks run; when nothing comes of them, moves the clock to the next timer. */
async function whileMoving<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  for (;;) {
    for (let round = 0; round < 24 && !settled; round++) await Promise.resolve();
    if (settled) return promise;
    if (!clock.advanceToNext()) throw new Error('nothing can happen any more');
  }
}

function randomRouter(scenario: Scenario, clock: FakeClock): Router {
  let asked = 0;
  return {
    async route(): Promise<RouteLogits> {
      const step = scenario.routes[asked++ % scenario.routes.length] as RouteStep;
      switch (step.kind) {
        case 'choose':
          if (step.ms > 0) await new Promise<void>((resolve) => void clock.after(step.ms, resolve));
          return logitsFor(step.slot, step.role, slots);
        case 'fail':
          throw new Error('the router failed');
        case 'hang':
          return new Promise(() => {});
        case 'nonsense':
          return { ...logitsFor(0, 'Worker', slots), roleLogits: [Number.NaN, 0, 0] };
      }
    },
  };
}

class RandomAgents implements Agents {
  readonly kind = 'slots';
  readonly count = slots;
  readonly calls: AgentCall[] = [];
  readonly attempts: { afterStop: boolean }[] = [];
  readonly signals: AbortSignal[] = [];
  readonly #scenario: Scenario;
  readonly #clock: FakeClock;
  readonly #stop: AbortSignal;
  #asked = 0;

  constructor(scenario: Scenario, clock: FakeClock, stop: AbortSignal) {
    this.#scenario = scenario;
    this.#clock = clock;
    this.#stop = stop;
  }

  slots(): readonly SlotState[] {
    const masks = this.#scenario.masks[this.#asked++ % this.#scenario.masks.length] ?? [];
    return masks.map((mask) => ({
      mask,
      health: { state: 'untried' },
      provider: 'random',
      model: 'm',
      systemSuffix: '',
    }));
  }

  estimateCost() {
    return { usd: this.#scenario.estimateUsd, reason: 'unknown' };
  }

  async *call(call: AgentCall, signal: AbortSignal): AsyncGenerator<AgentEvent, void, void> {
    const script = this.#scenario.calls[
      this.calls.length % this.#scenario.calls.length
    ] as CallScript;
    this.calls.push(call);
    this.signals.push(signal);
    this.#attempt();
    yield { type: 'started', provider: 'random', model: 'm' };
    for (const step of script.steps) {
      switch (step.kind) {
        case 'text':
        case 'reasoning':
          yield delta(step.text, step.kind);
          break;
        case 'wait':
          await this.#wait(step.ms, step.deaf ? null : signal);
          if (signal.aborted) return;
          break;
        case 'retry':
          yield failure('again', { retrying: true, httpStatus: step.httpStatus });
          if (signal.aborted) return;
          this.#attempt();
          yield { type: 'started', provider: 'random', model: 'm' };
      }
    }
    switch (script.end) {
      case 'finish':
        yield finished(script.costUsd);
        break;
      case 'fail':
        yield failure('broken');
        break;
      case 'throw':
        throw new Error('a bug in the agent');
      case 'vanish':
        break;
      case 'hang':
        await new Promise(() => {});
    }
  }

  #attempt(): void {
    this.attempts.push({ afterStop: this.#stop.aborted });
  }

  #wait(ms: number, signal: AbortSignal | null): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      if (signal?.aborted === true) done();
      else signal?.addEventListener('abort', done, { once: true });
    });
  }
}
