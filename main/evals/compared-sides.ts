import { AnalysisFold, count, type ConfusionMatrix, type EvalAnalysis } from './analysis.ts';
import type { CaseComparison } from './comparison.ts';
import type { ComparableCase } from './result-source.ts';

/**
 * Analyses both sides of a comparison: expectations that one side lacks (a snapshot has none) are taken from
 * the other, and `agents` and `roles` count the left side's choices (rows) against the right's.
 */
export class SidesFold {
  readonly #left = new AnalysisFold();
  readonly #right = new AnalysisFold();
  readonly #agents: Record<number, Record<number, number>> = {};
  readonly #roles: Record<number, Record<number, number>> = {};

  add({ left, right }: CaseComparison): void {
    if (left !== null) this.#left.add(withExpectations(left, right));
    if (right !== null) this.#right.add(withExpectations(right, left));
    if (left === null || right === null) return;
    count(this.#agents, left.agentId, right.agentId);
    count(this.#roles, left.roleId, right.roleId);
  }

  result(): ComparedSides {
    return {
      left: this.#left.result(),
      right: this.#right.result(),
      agents: this.#agents,
      roles: this.#roles,
    };
  }
}

export interface ComparedSides {
  readonly left: EvalAnalysis;
  readonly right: EvalAnalysis;
  readonly agents: ConfusionMatrix;
  readonly roles: ConfusionMatrix;
}

function withExpectations(side: ComparableCase, other: ComparableCase | null): ComparableCase {
  const has = ({ expected, tags }: ComparableCase): boolean =>
    tags.length > 0 || expected.agentIds !== undefined || expected.roleIds !== undefined;
  if (other === null || has(side)) return side;
  return { ...side, expected: other.expected, tags: other.tags };
}
