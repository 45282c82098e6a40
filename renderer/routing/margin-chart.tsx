import {
  CartesianGrid,
  Line,
  LineChart,
  ReferenceArea,
  ReferenceLine,
  XAxis,
  YAxis,
} from 'recharts';
import type { CalibratedFloors } from '../../contracts/evals.ts';
import { useWidth } from '../controls/use-width.ts';
import { calibratedStretches, runBoundaries, type MarginPoint } from './margin-history.ts';

const height = 144;
interface Props {
  readonly points: readonly MarginPoint[];
  readonly floors: CalibratedFloors | null;
}

const around = { top: 8, right: 10, bottom: 0, left: 0 };

/**
 * Agent and role margin by turn. A hollow point was not the router's own choice; a line between points
 * marks where a new message began. Under a floor the plane is tinted in the colour of its margin: there a
 * choice is unsure. Turns of another router or profile have no such band. The table beside it says the same, so the drawing itself is hidden
 * from screen readers.
 */
export function MarginChart({ points, floors }: Props) {
  const { ref, width } = useWidth();
  return (
    <figure className="history__figure">
      <div className="history__chart" ref={ref} aria-hidden="true">
        {width === 0 ? null : <Chart points={points} floors={floors} width={width} />}
      </div>
      <figcaption className="history__legend">
        <span className="legend legend--agent">agent</span>
        <span className="legend legend--role">role</span>
        <span className="legend legend--hollow">not the router’s own choice</span>
        {floors === null || calibratedStretches(points).length === 0 ? null : (
          <span className="legend legend--unsure">unsure</span>
        )}
      </figcaption>
    </figure>
  );
}

function Chart({ points, floors, width }: Props & { width: number }) {
  const first = points[0]?.ordinal ?? 1;
  const last = points.at(-1)?.ordinal ?? first;
  return (
    <LineChart
      data={[...points]}
      width={width}
      height={height}
      margin={around}
      accessibilityLayer={false}
      tabIndex={-1}
    >
      <CartesianGrid vertical={false} />
      <XAxis
        dataKey="ordinal"
        type="number"
        domain={[first - 0.5, last + 0.5]}
        ticks={ticksOf(first, last)}
        tickLine={false}
        height={20}
      />
      <YAxis width={34} tickLine={false} axisLine={false} domain={[0, 'auto']} />
      {floors === null ? null : <Bands points={points} floors={floors} />}
      {runBoundaries(points).map((x) => (
        <ReferenceLine key={x} x={x} className="history__boundary" />
      ))}
      <Margins dataKey="agentMargin" line="agent" />
      <Margins dataKey="roleMargin" line="role" />
    </LineChart>
  );
}

function Bands({ points, floors }: { points: readonly MarginPoint[]; floors: CalibratedFloors }) {
  return calibratedStretches(points).map(({ from, to }) =>
    (['agent', 'role'] as const).map((line) => (
      <ReferenceArea
        key={`${line} ${from}`}
        className={`history__band history__band--${line}`}
        x1={from}
        x2={to}
        y1={0}
        y2={floors[line]}
        ifOverflow="extendDomain"
      />
    )),
  );
}

function Margins({ dataKey, line }: { dataKey: 'agentMargin' | 'roleMargin'; line: string }) {
  return (
    <Line
      dataKey={dataKey}
      className={`history__line history__line--${line}`}
      dot={Dot}
      activeDot={false}
      isAnimationActive={false}
    />
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
function ticksOf(first: number, last: number): number[] {
  const count = last - first + 1;
  const step = Math.max(1, Math.ceil(count / 8));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => first + index * step);
}
