import type { AgentCall, AgentEvent, Agents, ProviderView } from '../../../contracts/agents.ts';
import type { VaultItem } from '../../../contracts/keys.ts';
import type { Clock, HttpClient, KeyVault, RandomSource } from '../../../contracts/ports.ts';
import {
  slotBindingSchema,
  type SlotBinding,
  type SlotBindingInput,
} from '../../../contracts/slots.ts';
import { createAttempt } from '../../../main/providers/attempt.ts';
import { HealthBook } from '../../../main/providers/health.ts';
import { createPool, type PoolParts } from '../../../main/providers/pool.ts';
import { PriceTable, type PriceSnapshot } from '../../../main/providers/price-table.ts';
import { createRehearsalStream } from '../../../main/providers/rehearsal/stream.ts';
import type { RehearsalScript } from '../../../main/providers/rehearsal/script.ts';
import { Spending } from '../../../main/providers/spending.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A clock whose waits between attempts pass at once and are told; deadlines, which last one of `deadlines`
 * milliseconds, run as they are.
 */
export function hastyClock(
  deadlines: readonly number[] = [600_000, 120_000, 60_000, 3_000, 200],
): Clock & { readonly waited: number[] } {
  const waited: number[] = [];
  return {
    ...realClock,
    waited,
    after(ms, callback) {
      if (deadlines.includes(ms)) return realClock.after(ms, callback);
      waited.push(ms);
      return realClock.after(0, callback);
    },
  };
}

/** Always the middle of every range. */
export const evenRandom: RandomSource = { next: () => 0.5, id: () => 'id' };

/** A vault in memory that keeps the rules of the port: an origin each, no secret in its items. */
export function memoryVault(
  kept: readonly {
    id: string;
    secret: string;
    origin: string;
    scheme?: VaultItem['scheme'];
  }[] = [],
): KeyVault & { readonly opened: string[] } {
  const items = new Map(kept.map((item) => [item.id, item]));
  const opened: string[] = [];
  const publicItem = (item: (typeof kept)[number]): VaultItem => ({
    id: item.id,
    scheme: item.scheme ?? 'session',
    origin: item.origin,
    last4: item.secret.length >= 12 ? item.secret.slice(-4) : null,
  });
  return {
    opened,
    schemes: () => Promise.resolve([{ scheme: 'session', explanation: 'Until the program ends.' }]),
    list: () => Promise.resolve([...items.values()].map(publicItem)),
    put(secret, origin, scheme) {
      const item = { id: `key-${items.size + 1}`, secret, origin, scheme };
      items.set(item.id, item);
      return Promise.resolve(publicItem(item));
    },
    open(id, origin) {
      const item = items.get(id);
      if (item === undefined || item.origin !== origin) {
        return Promise.reject(new Error('not for this origin'));
      }
      opened.push(id);
      return Promise.resolve(item.secret);
    },
    remove(id) {
      items.delete(id);
      return Promise.resolve();
    },
  };
}

/** A client that must not be used. */
export const noHttp: HttpClient = () => Promise.reject(new Error('no socket may be opened here'));

export const emptyPrices: PriceSnapshot = {
  format: 'trinity-prices',
  version: 1,
  source: { package: 'none', version: '0', license: 'none' },
  asOf: '2026-01-01',
  providers: {},
};

export function slot(input: Partial<SlotBindingInput> & { index?: number } = {}): SlotBinding {
  return slotBindingSchema.parse({
    index: 0,
    name: 'Test slot',
    provider: 'openai-compatible',
    model: 'test-model',
    ...input,
  });
}

export interface TestPool {
  readonly agents: Agents;
  readonly health: HealthBook;
  readonly spending: Spending;
}

export function testPool(options: {
  readonly bindings: readonly SlotBinding[];
  readonly http?: HttpClient;
  readonly vault?: KeyVault;
  readonly clock?: Clock;
  readonly prices?: PriceSnapshot;
  readonly script?: RehearsalScript;
  readonly settleMs?: number;
  readonly agentCount?: number;
  readonly parts?: Partial<PoolParts>;
}): TestPool {
  const clock = options.clock ?? realClock;
  const health = new HealthBook(clock);
  const spending = Spending.inMemory(clock);
  const agents = createPool({
    kind: 'slots',
    agentCount: () => options.agentCount ?? options.bindings.length,
    bindings: () => options.bindings,
    attempt: createAttempt({
      http: options.http ?? noHttp,
      clock,
      vault: options.vault ?? memoryVault(),
      settleMs: options.settleMs ?? 200,
      rehearsal: createRehearsalStream({ clock, paceMs: 0, script: options.script ?? null }),
    }),
    health,
    spending,
    prices: new PriceTable(options.prices ?? emptyPrices),
    retry: { attempts: 3, firstDelayMs: 1, longestDelayMs: 4, longestRetryAfterMs: 2_000 },
    clock,
    random: evenRandom,
    ...options.parts,
  });
  return { agents, health, spending };
}

export const question: ProviderView = {
  system: 'You are the Worker.',
  messages: [{ role: 'user', content: 'What is two and two?' }],
};

export function callOf(input: Partial<AgentCall> = {}): AgentCall {
  return { runId: 'run-1', turn: 1, slot: 0, role: 'Worker', view: question, ...input };
}

/** Every event of one call, with its text put together. */
export async function collect(
  agents: Agents,
  call: AgentCall = callOf(),
  signal: AbortSignal = new AbortController().signal,
): Promise<{ events: AgentEvent[]; text: string; reasoning: string; last: AgentEvent }> {
  const events: AgentEvent[] = [];
  for await (const event of agents.call(call, signal)) events.push(event);
  const of = (channel: 'text' | 'reasoning'): string =>
    events
      .map((event) => (event.type === 'delta' && event.channel === channel ? event.text : ''))
      .join('');
  const last = events.at(-1);
  if (last === undefined) throw new Error('the call yielded nothing');
  return { events, text: of('text'), reasoning: of('reasoning'), last };
}

/** What kinds of events came, deltas of one channel in a row counted as one. */
export function shapeOf(events: readonly AgentEvent[]): string[] {
  const shape: string[] = [];
  for (const event of events) {
    const name =
      event.type === 'delta'
        ? event.channel
        : event.type === 'failed'
          ? `failed:${event.code}${event.retrying ? ':retrying' : ''}`
          : event.type === 'finished'
            ? `finished:${event.finishReason}`
            : event.type;
    if (event.type !== 'delta' || shape.at(-1) !== name) shape.push(name);
  }
  return shape;
}
