import type { MaskCause, RouteDecision } from '../../contracts/route.ts';

/** How the page calls a slot: the name that the person gave it. */
export type SlotNamer = (slot: number) => string;

/** Whether a choice is the router's own, and if not, what stands behind it, in two words. */
export type ChoiceTag = 'router' | 'pinned' | 'redirected' | 'suggested' | 'masked';

export const tagNames: Readonly<Record<ChoiceTag, string>> = {
  router: 'router’s choice',
  pinned: 'pinned',
  redirected: 'redirected',
  suggested: 'suggested',
  masked: 'slot unavailable',
};

/** Everything that moved a decision away from the raw choice; `router` alone when nothing did. */
export function tagsOf({ slot, role }: RouteDecision): readonly ChoiceTag[] {
  const tags = new Set<ChoiceTag>();
  if (role.reason.kind === 'guard') tags.add('redirected');
  if (role.reason.kind === 'suggestion') tags.add('suggested');
  if (slot.reason.kind === 'mask') tags.add('masked');
  if (role.reason.kind === 'pin' || slot.reason.kind === 'pin') tags.add('pinned');
  return tags.size === 0 ? ['router'] : [...tags];
}

/** Why a turn has its agent and role: one sentence where the router decided both, else one for each. */
export function explainDecision(
  decision: RouteDecision,
  nameOf: SlotNamer,
  leftOut: readonly number[] = [],
): readonly string[] {
  const { slot, role } = decision;
  if (slot.reason.kind === 'router' && role.reason.kind === 'router') {
    return [`The router chose ${nameOf(slot.effective)} as ${role.effective}.`];
  }
  return [explainRole(decision), explainSlot(decision, nameOf, leftOut)];
}

/** Why the turn has its role, in one sentence. */
export function explainRole({ role }: RouteDecision): string {
  const { raw, effective, reason } = role;
  const same = raw === effective;
  switch (reason.kind) {
    case 'router':
      return `The router chose ${effective}.`;
    case 'pin':
      return same
        ? `You pinned ${effective}; the router would have chosen it too.`
        : `You pinned ${effective}; the router would have chosen ${raw}.`;
    case 'suggestion':
      return same
        ? `The Thinker of turn ${reason.turn} suggested ${effective}; the router chose it too.`
        : `The Thinker of turn ${reason.turn} suggested ${effective}; the router would have chosen ${raw}.`;
    case 'guard':
      return `${wishes[reason.over]} Verifier, but there is no finished answer to verify yet, so the turn goes to a ${effective}.`;
  }
}

/**
 * Why the turn has its slot, in one sentence.
 *
 * @param leftOut slots that the person left out of a preview
 */
export function explainSlot(
  { slot }: RouteDecision,
  nameOf: SlotNamer,
  leftOut: readonly number[] = [],
): string {
  const { raw, effective, reason } = slot;
  switch (reason.kind) {
    case 'router':
      return `The router chose ${nameOf(effective)}.`;
    case 'pin':
      return raw === effective
        ? `You pinned ${nameOf(effective)}; the router would have chosen it too.`
        : `You pinned ${nameOf(effective)}; the router would have chosen ${nameOf(raw)}.`;
    case 'mask':
      return reason.over === 'router'
        ? `The router chose ${nameOf(raw)}, ${leftOut.includes(raw) ? 'which you left out' : maskWords[reason.cause]}; ${nameOf(effective)} comes next.`
        : `You pinned a slot ${maskWords[reason.cause]}; ${nameOf(effective)} was called instead.`;
  }
}

/** Why a slot could not be called, as a clause. */
export const maskWords: Readonly<Record<MaskCause, string>> = {
  disabled: 'which is switched off',
  unhealthy: 'which is not answering at the moment',
  budget: 'which has used up its budget',
  busy: 'which is busy with other calls',
  failed: 'which had just failed',
};

const wishes = {
  router: 'The router chose',
  pin: 'You pinned',
  suggestion: 'The Thinker suggested',
} as const;
