import type { RunRecord } from '../../contracts/stored.ts';
import { tagsOf, type ChoiceTag } from './explain.ts';

/** One real turn of the conversation. What-if never becomes a point. */
export interface MarginPoint {
  /** 1.. over the whole conversation. */
  readonly ordinal: number;
  readonly runId: string;
  /** 1.. over the runs of the conversation. */
  readonly runOrdinal: number;
  readonly turn: number;
  readonly agentMargin: number | null;
  readonly roleMargin: number | null;
  /** False when redirected, pinned or suggested: drawn hollow. */
  readonly isRouters: boolean;
  readonly tags: readonly ChoiceTag[];
}

/** The margins of a conversation's turns in order. Turns that are not routed yet are left out. */
export function marginHistory(runs: readonly RunRecord[]): MarginPoint[] {
  const points: MarginPoint[] = [];
  runs.forEach((run, runIndex) => {
    for (const turn of run.turns) {
      const decision = turn.decisions.at(-1);
      if (decision === undefined) continue;
      const tags = tagsOf(decision);
      points.push({
        ordinal: points.length + 1,
        runId: run.id,
        runOrdinal: runIndex + 1,
        turn: turn.turn,
        agentMargin: decision.agentMargin,
        roleMargin: decision.roleMargin,
        isRouters: tags.every((tag) => tag === 'router' || tag === 'masked'),
        tags,
      });
    }
  });
  return points;
}

/** Ordinals between which a new run begins: x of the boundary lines. */
export function runBoundaries(points: readonly MarginPoint[]): number[] {
  return points.flatMap((point, index) => {
    const before = points[index - 1];
    return before !== undefined && before.runId !== point.runId ? [point.ordinal - 0.5] : [];
  });
}
