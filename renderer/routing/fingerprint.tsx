import type { RouteDecision } from '../../contracts/route.ts';
import { roleId } from '../../contracts/roles.ts';
import { logitBars, type Bar } from './bars.ts';

const barWidth = 4;
const step = 6;
const height = 18;

/** The shape of a decision, small enough for a turn's header: agents, a gap, roles. A decoration. */
export function Fingerprint({ decision }: { decision: RouteDecision }) {
  const agents = logitBars(decision.agentLogits);
  const roles = logitBars(decision.roleLogits);
  const rolesAt = agents.length * step + 5;
  const width = rolesAt + roles.length * step;
  return (
    <svg
      className="fingerprint"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      focusable="false"
    >
      {agents.map((bar) => (
        <Column key={bar.index} bar={bar} x={0} isChosen={bar.index === decision.slot.effective} />
      ))}
      {roles.map((bar) => (
        <Column
          key={bar.index}
          bar={bar}
          x={rolesAt}
          isChosen={bar.index === roleId(decision.role.effective)}
          role={decision.role.effective}
        />
      ))}
    </svg>
  );
}

function Column({
  bar,
  x,
  isChosen,
  role,
}: {
  bar: Bar;
  x: number;
  isChosen: boolean;
  role?: string;
}) {
  const tall = Math.max(2, bar.length * height);
  return (
    <rect
      className={isChosen ? 'fingerprint__bar fingerprint__bar--chosen' : 'fingerprint__bar'}
      data-role={isChosen ? role : undefined}
      x={x + bar.index * step}
      y={height - tall}
      width={barWidth}
      height={tall}
      rx="1"
    />
  );
}
