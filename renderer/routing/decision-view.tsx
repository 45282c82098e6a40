import { roleId, roleNames } from '../../contracts/roles.ts';
import type { RouteDecision } from '../../contracts/route.ts';
import { usePart } from '../stores/use-session.ts';
import { logitBars } from './bars.ts';
import { explainDecision, maskWords, type SlotNamer } from './explain.ts';
import { LogitBars, type BarRow } from './logit-bars.tsx';
import { unsureOf } from './margin-history.ts';
import { marginWords } from './numbers.ts';
import { RoleBadge } from './role-badge.tsx';

type Props = {
  decision: RouteDecision;
  nameOf: SlotNamer;
  /** Slots that the person left out of a preview, and how to change that. */
  toggle?: { readonly disabled: readonly number[]; readonly onToggle: (slot: number) => void };
};

/** What was decided and why, then the logits it was decided by. */
export function DecisionView({ decision, nameOf, toggle }: Props) {
  const labels = usePart('slots', ({ slots }) => slots.map((slot) => slot.checkpointLabel));
  const floors = usePart('router', (state) => state.floors);
  const unsure = unsureOf(decision, floors);
  const { slot, role } = decision;
  const masked = slot.reason.kind === 'mask' ? { at: slot.raw, cause: slot.reason.cause } : null;
  const agents = logitBars(decision.agentLogits, decision.agentProbabilities);
  const roles = logitBars(decision.roleLogits, decision.roleProbabilities);
  const rowOfAgent = (index: number): BarRow => ({
    name: nameOf(index),
    detail: labels[index] ?? null,
    isRaw: index === slot.raw,
    isEffective: index === slot.effective,
    maskedWords:
      toggle?.disabled.includes(index) === true
        ? 'left out by you'
        : masked?.at === index
          ? maskWords[masked.cause]
          : null,
  });
  return (
    <section className="decision" aria-label="Decision">
      <p className="decision__choice">
        <strong>{nameOf(slot.effective)}</strong> as <RoleBadge role={role.effective} />
      </p>
      {explainDecision(decision, nameOf, toggle?.disabled).map((sentence) => (
        <p key={sentence} className="decision__why">
          {sentence}
        </p>
      ))}
      <LogitBars
        title="Agents"
        note={`margin ${marginWords(decision.agentMargin, unsure?.agent)}`}
        bars={agents}
        rows={decision.agentLogits.map((_, index) => rowOfAgent(index))}
        {...(toggle === undefined ? {} : { toggle })}
      />
      <LogitBars
        title="Roles"
        note={`margin ${marginWords(decision.roleMargin, unsure?.role)}`}
        bars={roles}
        rows={decision.roleLogits.map((_, index) => ({
          name: roleNames[index] ?? `Role ${index}`,
          detail: null,
          role: roleNames[index],
          isRaw: index === roleId(role.raw),
          isEffective: index === roleId(role.effective),
          maskedWords:
            role.reason.kind === 'guard' && index === roleId(role.raw)
              ? 'held back by the guard'
              : null,
        }))}
      />
      <p className="decision__legend" aria-hidden="true">
        <span className="legend legend--effective">taken</span>
        <span className="legend legend--raw">router’s own choice</span>
        <span className="legend legend--masked">not available</span>
      </p>
    </section>
  );
}
