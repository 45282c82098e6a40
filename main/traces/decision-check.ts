import { margin } from '../../contracts/logits.ts';
import { roleNames } from '../../contracts/roles.ts';
import type { RouteDecision } from '../../contracts/route.ts';
import { choose } from '../../coordinator/selection.ts';

/** Largest difference between a recorded number and the same recomputed. */
const tolerance = 1e-6;

/**
 * Recomputes a recorded decision from its logits: raw choices (sampled ones with their seed), margins
 * and probabilities. Gives a sentence for each that does not agree.
 */
export function decisionProblems(decision: RouteDecision, turn: number): string[] {
  const { agentLogits, roleLogits, selection } = decision;
  const agent = choose(agentLogits, selection, `turn ${turn} agent`);
  const role = choose(roleLogits, selection, `turn ${turn} role`);
  const problems: string[] = [];
  if (agent.index !== decision.slot.raw) {
    problems.push(`the logits choose slot ${agent.index}, not ${decision.slot.raw}`);
  }
  if (roleNames[role.index] !== decision.role.raw) {
    problems.push(`the logits choose ${roleNames[role.index]}, not ${decision.role.raw}`);
  }
  if (!near(margin(agentLogits), decision.agentMargin)) {
    problems.push(`the agent margin is ${margin(agentLogits)}, not ${decision.agentMargin}`);
  }
  if (!near(margin(roleLogits), decision.roleMargin)) {
    problems.push(`the role margin is ${margin(roleLogits)}, not ${decision.roleMargin}`);
  }
  if (!allNear(agent.probabilities, decision.agentProbabilities)) {
    problems.push('the agent probabilities do not follow from the logits');
  }
  if (!allNear(role.probabilities, decision.roleProbabilities)) {
    problems.push('the role probabilities do not follow from the logits');
  }
  return [...problems, ...reasonProblems(decision)];
}

/** What each reason says of the effective choice. */
function reasonProblems(decision: RouteDecision): string[] {
  const { slot, role, maskedMargin, agentLogits } = decision;
  const problems: string[] = [];
  if (!(slot.effective in agentLogits)) {
    problems.push(`slot ${slot.effective} is not one of the ${agentLogits.length} slots`);
  }
  if (slot.reason.kind === 'router' && slot.effective !== slot.raw) {
    problems.push(`slot ${slot.effective} is said to be the choice of the router, ${slot.raw}`);
  }
  if (slot.reason.kind === 'mask' && maskedMargin === null) {
    problems.push('a slot was masked, but there is no margin of those that were left');
  }
  if (maskedMargin !== null && !isMarginOfSome(decision, maskedMargin)) {
    problems.push(`whatever slots were masked, the margin of the others is not ${maskedMargin}`);
  }
  if (role.reason.kind === 'router' && role.effective !== role.raw) {
    problems.push(`${role.effective} is said to be the choice of the router, ${role.raw}`);
  }
  if (role.reason.kind === 'guard' && role.effective !== 'Worker') {
    problems.push(`the guard is said to have chosen ${role.effective}`);
  }
  return problems;
}

/** More slots than a router has; the pairs of more are too many to try. */
const mostSlots = 64;

/**
 * Whether slots can be left out so that the effective one stays and the others have this margin. Which ones
 * were left out is not recorded: also slots that nobody wanted can be masked.
 */
function isMarginOfSome({ agentLogits, slot }: RouteDecision, masked: number): boolean {
  if (agentLogits.length > mostSlots) return true;
  const wanted = slot.reason.kind === 'mask' && slot.reason.over === 'router' ? slot.raw : null;
  const all = agentLogits.map((_, index) => index).filter((index) => index !== wanted);
  // The two best of those that were left and the effective one have the same margin as all of them.
  return all.some((first) =>
    all.some((second) => {
      const left = [...new Set([first, second, slot.effective])];
      if (left.length === agentLogits.length) return false;
      return near(margin(left.map((index) => agentLogits[index] ?? 0)), masked);
    }),
  );
}

function near(a: number | null, b: number | null): boolean {
  return a === null || b === null ? a === b : Math.abs(a - b) <= tolerance;
}

function allNear(a: readonly number[] | null, b: readonly number[] | null): boolean {
  if (a === null || b === null) return a === b;
  return a.length === b.length && a.every((value, index) => near(value, b[index] ?? null));
}
