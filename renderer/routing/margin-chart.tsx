import {
  CartesianGrid,
  Line,
  LineChart,
  ReferenceLine,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts';
import { runBoundaries, type MarginPoint } from './margin-history.ts';

const marginOfChart = { top: 8, right: 10, bottom: 0, left: 0 };

/**
 * Agent and role margin by turn. A hollow point was not the router's own choice; a line between points
 * marks where a new message began. The table beside it says the same, so the drawing itself is hidden
 * from screen readers.
 */
export function MarginChart({ points }: { points: readonly MarginPoint[] }) {
  return (
    <figure className="history__figure">
      <div className="history__chart" aria-hidden="true">
        <ResponsiveContainer
          width="100%"
          height="100%"
          initialDimension={{ width: 320, height: 140 }}
        >
          <LineChart
            data={[...points]}
            margin={marginOfChart}
            accessibilityLayer={false}
            tabIndex={-1}
          >
            <CartesianGrid vertical={false} />
            <XAxis
              dataKey="ordinal"
              type="number"
              domain={[0.5, points.length + 0.5]}
              ticks={ticksOf(points.length)}
              tickLine={false}
              height={20}
            />
            <YAxis width={34} tickLine={false} axisLine={false} domain={[0, 'auto']} />
            {runBoundaries(points).map((x) => (
              <ReferenceLine key={x} x={x} className="history__boundary" />
            ))}
            <Line
              dataKey="agentMargin"
              className="history__line history__line--agent"
              dot={Dot}
              activeDot={false}
              isAnimationActive={false}
            />
            <Line
              dataKey="roleMargin"
              className="history__line history__line--role"
              dot={Dot}
              activeDot={false}
              isAnimationActive={false}
            />
          </LineChart>
        </ResponsiveContainer>
      </div>
      <figcaption className="history__legend">
        <span className="legend legend--agent">agent</span>
        <span className="legend legend--role">role</span>
        <span className="legend legend--hollow">not the router’s own choice</span>
      </figcaption>
    </figure>
  );
}

type DotProps = {
  cx?: number;
  cy?: number;
  dataKey?: unknown;
  payload?: MarginPoint;
  index?: number;
};

function Dot({ cx, cy, dataKey, payload, index }: DotProps) {
  if (cx === undefined || cy === undefined || payload === undefined) return <g key={index} />;
  const line = dataKey === 'roleMargin' ? 'role' : 'agent';
  const shape = payload.isRouters ? 'full' : 'hollow';
  return (
    <circle
      key={index}
      className={`history__dot history__dot--${line} history__dot--${shape}`}
      cx={cx}
      cy={cy}
      r={payload.isRouters ? 3.2 : 3.6}
    />
  );
}

/** At most eight whole turn numbers. */
function ticksOf(count: number): number[] {
  const step = Math.max(1, Math.ceil(count / 8));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step + 1);
}
