import type { Pins } from '../../contracts/app/chat.ts';
import type { RunEvent } from '../../contracts/events.ts';
import type { RouteDecision } from '../../contracts/route.ts';
import type { RunRecord } from '../../contracts/stored.ts';

/** An earlier run of the conversation, as the views of a later one need it. */
export interface EarlierRun {
  readonly task: string;
  readonly answer: string | null;
}

/** What a run is started with. */
export interface RunStart {
  readonly runId: string;
  readonly conversationId: string;
  readonly task: string;
  readonly systemPrompt: string;
  readonly earlier: readonly EarlierRun[];
  readonly pins: Pins;
}

/** A question of what would be decided, without calling anyone. */
export interface WhatIf extends Omit<RunStart, 'runId' | 'conversationId'> {
  /** Null before the conversation exists. */
  readonly conversationId: string | null;
  readonly disabledSlots: readonly number[];
}

/** Turns a start into the events of a run. Wired to the coordinator by the app. */
export interface RunLoop {
  /** What the next run's agents are. */
  agentsKind(): RunRecord['agents'];
  /** Slots of the router in use. */
  slotCount(): number;
  /**
   * The run's events, `seq` from 0 without gaps, the last one terminal. Nothing happens between two
   * calls of `next`: an event that is not taken on holds up the dispatch after it. An abort of the
   * signal ends the run as stopped.
   */
  run(start: RunStart, signal: AbortSignal): AsyncGenerator<RunEvent, void, undefined>;
  decide(question: WhatIf, signal: AbortSignal | undefined): Promise<RouteDecision>;
}

/** Where the events of one run are traced. Neither method throws: a trace never ends a run. */
export interface RunTrace {
  write(event: RunEvent): void;
  close(): Promise<void>;
}

export type OpenTrace = (run: RunStart) => Promise<RunTrace>;
