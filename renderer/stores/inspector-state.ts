import { createStore } from 'zustand/vanilla';
import type { Pins } from '../../contracts/app/chat.ts';
import type { Failure } from '../../contracts/failure.ts';
import type { RouteDecision } from '../../contracts/route.ts';
import type { RunRecord, TurnRecord } from '../../contracts/stored.ts';

/** A turn of the open conversation. */
export interface TurnRef {
  readonly runId: string;
  readonly turn: number;
}

/** A preview: routed, nobody called. */
export interface WhatIf {
  readonly text: string;
  readonly pins: Pins;
  readonly disabledSlots: readonly number[];
  /** `empty`: there is no text to route. */
  readonly phase: 'empty' | 'routing' | 'ready' | 'failed';
  readonly decision: RouteDecision | null;
  readonly failure: Failure | null;
}

/** The last turn that was saved as an evaluation case, or is being saved. */
export interface SavedTurn extends TurnRef {
  readonly phase: 'saving' | 'saved' | 'failed';
  /** The suite that holds it. */
  readonly path: string | null;
  readonly failure: Failure | null;
}

export interface InspectorState {
  /** The turn that is looked at; null follows the latest. */
  readonly chosen: TurnRef | null;
  /** Which decision of the turn, for turns that were selected again; null is the last. */
  readonly decisionIndex: number | null;
  /** Shown instead of a turn while it is not null. */
  readonly whatIf: WhatIf | null;
  readonly savedTurn: SavedTurn | null;
}

export function createInspectorStore() {
  return createStore<InspectorState>(() => ({
    chosen: null,
    decisionIndex: null,
    whatIf: null,
    savedTurn: null,
  }));
}

export interface InspectedTurn {
  readonly run: RunRecord;
  readonly turn: TurnRecord;
}

/** Every turn of a conversation in the order in which they happened. */
export function turnsOf(runs: readonly RunRecord[]): InspectedTurn[] {
  return runs.flatMap((run) => run.turns.map((turn) => ({ run, turn })));
}

/** The chosen turn; the latest one when none is chosen or the chosen one is not there. */
export function inspectedTurn(
  runs: readonly RunRecord[],
  chosen: TurnRef | null,
): InspectedTurn | null {
  const run = chosen === null ? undefined : runs.find(({ id }) => id === chosen.runId);
  const turn = run?.turns.find((one) => one.turn === chosen?.turn);
  if (run !== undefined && turn !== undefined) return { run, turn };
  const lastRun = runs.findLast(({ turns }) => turns.length > 0);
  const last = lastRun?.turns.at(-1);
  return lastRun === undefined || last === undefined ? null : { run: lastRun, turn: last };
}
