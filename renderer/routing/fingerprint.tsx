import type { RouteDecision } from '../../contracts/route.ts';
import { roleId } from '../../contracts/roles.ts';
import { barChart, type Bar } from './bars.ts';

const barWidth = 4;
const step = 6;
const height = 18;

/** The shape of a decision, small enough for a turn's header: agents, a gap, roles. A decoration. */
export function Fingerprint({ decision }: { decision: RouteDecision }) {
  const agents = barChart(decision.agentLogits);
  const roles = barChart(decision.roleLogits);
  const rolesAt = agents.bars.length * step + 5;
  const width = rolesAt + roles.bars.length * step;
  return (
    <svg
      className="fingerprint"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      focusable="false"
    >
      {agents.bars.map((bar) => (
        <Column key={bar.index} bar={bar} x={0} isChosen={bar.index === decision.slot.effective} />
      ))}
      {roles.bars.map((bar) => (
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
  const top = Math.min(height - tall, (1 - bar.start - bar.length) * height);
  return (
    <rect
      className={isChosen ? 'fingerprint__bar fingerprint__bar--chosen' : 'fingerprint__bar'}
      data-role={isChosen ? role : undefined}
      x={x + bar.index * step}
      y={Math.max(0, top)}
      width={barWidth}
      height={tall}
      rx="1"
    />
  );
}
