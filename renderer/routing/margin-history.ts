import { isUnderFloor, type CalibratedFloors } from '../../contracts/evals.ts';
import type { RouteDecision } from '../../contracts/route.ts';
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
  /** Null where the floors are not those of the router and profile that decided. */
  readonly unsure: Unsure | null;
  /** False when redirected, pinned or suggested: drawn hollow. */
  readonly isRouters: boolean;
  readonly tags: readonly ChoiceTag[];
}

/** Which margins lie under their floors. */
export interface Unsure {
  readonly agent: boolean;
  readonly role: boolean;
}

/** How sure a decision was by `floors`; null without floors of exactly its router and profile. */
export function unsureOf(
  { adapterRef, profile, agentMargin, roleMargin }: RouteDecision,
  floors: CalibratedFloors | null,
): Unsure | null {
  if (floors === null || floors.adapterRef !== adapterRef || floors.profile !== profile)
    return null;
  return {
    agent: isUnderFloor(agentMargin, floors.agent),
    role: isUnderFloor(roleMargin, floors.role),
  };
}

/** The margins of a conversation's turns in order. Turns that are not routed yet are left out. */
export function marginHistory(
  runs: readonly RunRecord[],
  floors: CalibratedFloors | null,
): MarginPoint[] {
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
        unsure: unsureOf(decision, floors),
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

/** Stretches of turns that the floors apply to, as x from and to: where their bands are drawn. */
export function calibratedStretches(
  points: readonly MarginPoint[],
): { from: number; to: number }[] {
  const stretches: { from: number; to: number }[] = [];
  for (const { ordinal, unsure } of points) {
    if (unsure === null) continue;
    const last = stretches.at(-1);
    if (last?.to === ordinal - 0.5) last.to = ordinal + 0.5;
    else stretches.push({ from: ordinal - 0.5, to: ordinal + 0.5 });
  }
  return stretches;
}
