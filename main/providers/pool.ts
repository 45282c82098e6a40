import type {
  AgentCall,
  AgentEvent,
  Agents,
  CostEstimate,
  SlotState,
} from '../../contracts/agents.ts';
import type { Clock, RandomSource } from '../../contracts/ports.ts';
import type { MaskCause } from '../../contracts/route.ts';
import type { SlotBinding } from '../../contracts/slots.ts';
import { admit, bindingOf, callableBinding, type Admitted } from './admission.ts';
import { book, type Received } from './booking.ts';
import { worstCaseCost } from './cost.ts';
import { asProviderError, ProviderError } from './failure.ts';
import type { HealthBook } from './health.ts';
import { Permits } from './permits.ts';
import type { PriceTable } from './price-table.ts';
import { retryDelayMs, type RetryPolicy } from './retry.ts';
import { sleep } from './sleep.ts';
import type { Spending } from './spending.ts';
import type { TokenCounter } from './usage.ts';
import type { StreamEvent, StreamRequest } from './wire/port.ts';

/** One attempt at a slot's agent. Throws ProviderError; see `createAttempt`. */
export type Attempt = (
  binding: SlotBinding,
  request: StreamRequest,
  signal: AbortSignal,
) => AsyncIterable<StreamEvent>;

export interface PoolParts {
  readonly kind: Agents['kind'];
  /** Number of agents of the active router. */
  agentCount(): number;
  /** The layout as it is set now. */
  bindings(): readonly SlotBinding[];
  readonly attempt: Attempt;
  readonly health: HealthBook;
  readonly prices: PriceTable;
  readonly spending: Spending;
  readonly retry: RetryPolicy;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Counts tokens where a provider does not; absent: such usage stays unknown. */
  readonly countTokens?: TokenCounter;
}

/**
 * The agents behind the slots: the one place where calls are retried, limited, priced and remembered.
 * A call waits for a permit of its slot, then attempts are made until one shows content or none is left.
 */
export function createPool(parts: PoolParts): Agents {
  const permits = new Permits();
  return {
    kind: parts.kind,
    get count() {
      return parts.agentCount();
    },
    slots: () => slotStates(parts, permits),
    estimateCost: (call) => estimate(parts, call),
    call: (call, signal) => callSlot(parts, permits, call, signal),
  };
}

function slotStates(parts: PoolParts, permits: Permits): SlotState[] {
  const bindings = new Map(parts.bindings().map((binding) => [binding.index, binding]));
  const states = Array.from({ length: parts.agentCount() }, (_, index): SlotState => {
    const binding = bindings.get(index);
    return {
      mask: binding === undefined ? 'disabled' : maskOf(parts, permits, binding),
      health: parts.health.of(index),
      provider: binding?.provider ?? '',
      model: binding?.model ?? '',
      systemSuffix: binding?.parameters.systemSuffix ?? '',
    };
  });
  // A busy slot gives way to a free one; where none is free, waiting in line beats not answering.
  if (states.some(({ mask }) => mask === null)) return states;
  return states.map((state) => (state.mask === 'busy' ? { ...state, mask: null } : state));
}

function maskOf(parts: PoolParts, permits: Permits, binding: SlotBinding): MaskCause | null {
  const { index } = binding;
  if (!binding.enabled) return 'disabled';
  if (!parts.health.isCallable(index)) return 'unhealthy';
  const cap = binding.monthlyCapUsd;
  if (cap !== undefined && parts.spending.thisMonthUsd(index) >= cap) return 'budget';
  return permits.inUse(index) >= binding.concurrency ? 'busy' : null;
}

function estimate(parts: PoolParts, call: AgentCall): CostEstimate {
  const binding = bindingOf(parts, call.slot);
  return binding === null
    ? { usd: null, reason: `Slot ${call.slot} is not bound.` }
    : worstCaseCost(binding, call, parts.prices);
}

async function* callSlot(
  parts: PoolParts,
  permits: Permits,
  call: AgentCall,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void, void> {
  const { clock, health, retry, random } = parts;
  const startedAt = clock.monotonic();
  for (let attempt = 1; ; attempt += 1) {
    const progress = newProgress(attempt === 1 ? startedAt : clock.monotonic());
    let release: (() => void) | null = null;
    let admitted: Admitted | null = null;
    let delayMs: number | null;
    try {
      const { concurrency } = callableBinding(parts, call);
      release = await permits.acquire(call.slot, concurrency, signal);
      if (release === null) throw new ProviderError('stopped', 'The call was stopped.');
      admitted = await admit(parts, call);
      const { provider, model } = admitted.binding;
      progress.startedAt = clock.monotonic();
      yield { type: 'started', provider, model };
      yield* attemptOnce(parts, admitted, call, signal, progress);
      return;
    } catch (thrown) {
      const error = asProviderError(thrown);
      health.failed(call.slot, error);
      delayMs =
        progress.hasContent || signal.aborted ? null : retryDelayMs(error, attempt, retry, random);
      yield {
        type: 'failed',
        code: error.code,
        message: error.message,
        httpStatus: error.httpStatus,
        retrying: delayMs !== null,
        latencyMs: clock.monotonic() - progress.startedAt,
      };
    } finally {
      // Also when the caller walks away: what came until then is billed all the same.
      if (admitted !== null) {
        await bookBrokenOff(parts, admitted, call, progress);
        admitted.giveBack();
      }
      release?.();
    }
    if (delayMs === null) return;
    await sleep(clock, delayMs, signal);
  }
}

/** What has come of one attempt. */
interface Progress extends Received {
  startedAt: number;
  hasContent: boolean;
  isBooked: boolean;
}

function newProgress(startedAt: number): Progress {
  return {
    startedAt,
    hasContent: false,
    isBooked: false,
    generated: '',
    usage: null,
    resolvedModel: null,
  };
}

async function* attemptOnce(
  parts: PoolParts,
  { binding, reservedUsd }: Admitted,
  call: AgentCall,
  signal: AbortSignal,
  progress: Progress,
): AsyncGenerator<AgentEvent, void, void> {
  const { clock, health } = parts;
  const { model, parameters } = binding;
  let firstTokenMs: number | null = null;
  for await (const event of parts.attempt(binding, { ...call, model, parameters }, signal)) {
    if (event.type === 'broken_off') {
      progress.usage = event.usage;
      progress.resolvedModel = event.resolvedModel;
      continue;
    }
    if (event.type !== 'ended') {
      if (signal.aborted) throw new ProviderError('stopped', 'The call was stopped.');
      firstTokenMs ??= clock.monotonic() - progress.startedAt;
      progress.hasContent = true;
      progress.generated += event.text;
      yield { type: 'delta', channel: event.type, text: event.text };
      continue;
    }
    health.succeeded(call.slot);
    const latencyMs = clock.monotonic() - progress.startedAt;
    const { finishReason, resolvedModel, requestId, skippedChunks } = event;
    Object.assign(progress, { usage: event.usage, resolvedModel, isBooked: true });
    const booked = await book(parts, binding, call, progress, { isWhole: true, reservedUsd });
    yield {
      type: 'finished',
      finishReason,
      ...booked,
      resolvedModel,
      requestId,
      firstTokenMs,
      latencyMs,
      skippedChunks,
    };
    return;
  }
}

/** Books an answer that did not reach its end, if any of it came. */
async function bookBrokenOff(
  parts: PoolParts,
  { binding, reservedUsd }: Admitted,
  call: AgentCall,
  progress: Progress,
): Promise<void> {
  if (progress.isBooked || !(progress.hasContent || progress.usage !== null)) return;
  progress.isBooked = true;
  await book(parts, binding, call, progress, { isWhole: false, reservedUsd });
}
