import { roleNames } from '../../../../contracts/roles.ts';
import type { RouteDecision } from '../../../../contracts/route.ts';
import { barRows, renderBars } from '../bars.ts';
import { unreadText } from '../count-text.ts';
import { paint, type TerminalStyle } from '../style.ts';

/** A route line and bars for slots and roles. @param title what stands before the choice: `turn 1` */
export function renderDecision(
  title: string,
  decision: RouteDecision,
  labels: readonly string[],
  style: TerminalStyle,
): string[] {
  const { slot, role, agentMargin, roleMargin, tokenCount, timings, window } = decision;
  const margins = `margins ${number(agentMargin)} / ${number(roleMargin)}`;
  const unread = unreadText(window);
  const read = `${tokenCount} tokens${unread === null ? '' : `, ${unread}`}`;
  const cost = `${read}, ${timings.totalMs.toFixed(0)} ms`;
  const slotLabels = decision.agentLogits.map((_, index) =>
    `${index} ${labels[index] ?? ''}`.trimEnd(),
  );
  const choice = `${title}: ${role.effective} by slot ${slot.effective}`;
  return [
    `${paint(style, 'bold', choice)}  ${paint(style, 'dim', `${margins}, ${cost}`)}`,
    ...reasons(decision).map((reason) => paint(style, 'yellow', `  ${reason}`)),
    ...renderBars(barRows(slotLabels, decision.agentLogits, slot.effective), style),
    ...renderBars(
      barRows(roleNames, decision.roleLogits, roleNames.indexOf(role.effective)),
      style,
    ),
  ];
}

/** Why a choice is not the router's, in words; nothing where it is. */
function reasons({ slot, role }: RouteDecision): string[] {
  const said: string[] = [];
  if (slot.reason.kind === 'pin') said.push(`slot pinned (the router chose ${slot.raw})`);
  if (slot.reason.kind === 'mask') {
    const wanted = slot.reason.over === 'pin' ? 'the pinned slot' : `slot ${slot.raw}`;
    said.push(`${wanted} cannot be called (${slot.reason.cause})`);
  }
  if (role.reason.kind === 'pin') said.push(`role pinned (the router chose ${role.raw})`);
  if (role.reason.kind === 'suggestion') {
    said.push(`role suggested in turn ${role.reason.turn} (the router chose ${role.raw})`);
  }
  if (role.reason.kind === 'guard') {
    const wanted =
      role.reason.over === 'router' ? 'the router chose' : `the ${role.reason.over} says`;
    said.push(`nothing to verify yet: ${wanted} Verifier, a Worker goes first`);
  }
  return said;
}

function number(value: number | null): string {
  return value === null ? 'none' : value.toFixed(2);
}
