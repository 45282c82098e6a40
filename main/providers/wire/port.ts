import type { ProviderView } from '../../../contracts/agents.ts';
import type { FinishReason } from '../../../contracts/events.ts';
import type { RoleName } from '../../../contracts/roles.ts';
import type { SlotParameters, WireFormat } from '../../../contracts/slots.ts';
import type { Preset } from '../presets.ts';

/** Token counts as a provider reported them; null where it did not. */
export interface ReportedUsage {
  readonly inputTokens: number | null;
  /** The part of the input that was read from the provider's cache, at its lower price. */
  readonly cachedInputTokens: number | null;
  /** All that was generated, reasoning included. */
  readonly outputTokens: number | null;
  readonly reasoningTokens: number | null;
}

/**
 * What an agent's answer is made of, whatever spoke it. `ended` is the last event of a good stream;
 * a bad one throws ProviderError, after `broken_off` where the provider had told its usage by then.
 */
export type StreamEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | {
      readonly type: 'broken_off';
      readonly usage: ReportedUsage | null;
      readonly resolvedModel: string | null;
    }
  | {
      readonly type: 'ended';
      readonly finishReason: FinishReason;
      readonly usage: ReportedUsage | null;
      readonly resolvedModel: string | null;
      readonly requestId: string | null;
      readonly skippedChunks: number;
    };

/** One attempt at a slot: everything it needs, secrets included. Lives only as long as the attempt. */
export interface StreamRequest {
  readonly runId: string;
  readonly turn: number;
  readonly slot: number;
  readonly role: RoleName;
  readonly view: ProviderView;
  readonly model: string;
  readonly parameters: SlotParameters;
}

/** What one server-sent event (or one whole JSON answer) meant. A reader may see several things in one. */
export type WireEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'finish'; readonly reason: FinishReason }
  /** The text is a refusal, whatever reason the answer's end will name. */
  | { readonly type: 'refused' }
  | { readonly type: 'usage'; readonly usage: ReportedUsage }
  | { readonly type: 'model'; readonly model: string }
  | { readonly type: 'request_id'; readonly id: string }
  /** The format's own end mark: nothing after it belongs to the answer. */
  | { readonly type: 'done' }
  /** An error reported inside a stream that had started well. */
  | { readonly type: 'error'; readonly body: unknown };

export interface WirePayload {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * One wire format: how a request is written and how an answer is read. Pure: the exchange owns sockets,
 * deadlines and decoding, so that every format behaves the same on bad days.
 */
export interface WireAdapter {
  readonly format: WireFormat;
  /** Path (joined to the base URL), headers without secrets, and JSON body of a streamed call. */
  payload(request: StreamRequest, preset: Preset): WirePayload;
  /**
   * Reads one JSON value of a stream. Null means that the value is nothing this format knows: the
   * exchange counts it as skipped.
   */
  read(value: unknown, eventName: string | null): readonly WireEvent[] | null;
  /** Reads a whole answer that came as one JSON value, because the server does not stream. */
  readWhole(value: unknown): readonly WireEvent[] | null;
  /** Path that lists models, and how its answer is read; null where the format has none. */
  readonly models: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    read(value: unknown): readonly string[] | null;
  } | null;
}
