import type { FinishReason, Usage } from './events.ts';
import type { RoleName } from './roles.ts';
import type { SlotHealth } from './slots.ts';
import type { MaskCause } from './route.ts';

/** Messages as a provider gets them: one system text, then user and assistant in turn, the last one a user's. */
export interface ProviderView {
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

export interface AgentCall {
  readonly runId: string;
  readonly turn: number;
  readonly slot: number;
  readonly role: RoleName;
  readonly view: ProviderView;
}

/**
 * What a call streams. A stream ends with `finished`, or with `failed`; after `failed` with
 * `retrying: true` the same stream goes on with another attempt, which begins with its own `started`.
 * A `failed` that retries is yielded before the attempt it announces is made, so that a caller who
 * aborts then prevents it. Nothing retries once a text delta was yielded.
 */
export type AgentEvent =
  | { readonly type: 'started'; readonly provider: string; readonly model: string }
  | { readonly type: 'delta'; readonly channel: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'finished';
      readonly finishReason: FinishReason;
      readonly usage: Usage | null;
      readonly costUsd: number | null;
      readonly resolvedModel: string | null;
      readonly requestId: string | null;
      readonly firstTokenMs: number | null;
      readonly latencyMs: number;
      readonly skippedChunks: number;
    }
  | {
      readonly type: 'failed';
      readonly code: string;
      readonly message: string;
      readonly httpStatus: number | null;
      readonly retrying: boolean;
      readonly latencyMs: number;
    };

/** A slot as it stands now. */
export interface SlotState {
  /** Why it cannot be called; null when it can. */
  readonly mask: MaskCause | null;
  readonly health: SlotHealth;
  /** What a call would go to: names for events and traces, never a URL. Empty for an unbound slot. */
  readonly provider: string;
  readonly model: string;
  /** Follows the role's instruction in the provider view; empty for none. */
  readonly systemSuffix: string;
}

/** Worst-case cost of a call before it is made; null when a price or a token limit is unknown. */
export type CostEstimate = { readonly usd: number | null; readonly reason: string };

/**
 * The agents behind the slots. `call` never throws: failures are events. It stops soon after its signal
 * aborts; what came until then has been yielded. Retries before content happen inside, each announced.
 */
export interface Agents {
  readonly kind: 'rehearsal' | 'slots';
  readonly count: number;
  slots(): readonly SlotState[];
  estimateCost(call: AgentCall): CostEstimate;
  call(call: AgentCall, signal: AbortSignal): AsyncIterable<AgentEvent>;
}
