import { lazy, Suspense, useMemo, useState } from 'react';
import type { CalibratedFloors } from '../../contracts/evals.ts';
import { Segments } from '../controls/segments.tsx';
import { inspectTurn } from '../stores/inspector.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { tagNames } from './explain.ts';
import { marginHistory, type MarginPoint } from './margin-history.ts';
import { countText, logitText, marginWords } from './numbers.ts';

// The chart library is larger than the rest of the page together.
const MarginChart = lazy(async () => {
  const { MarginChart: component } = await import('./margin-chart.tsx');
  return { default: component };
});

/** Points drawn at most: the latest. More would be slower, and no clearer. */
const pointsAtOnce = 200;

type Shown = 'chart' | 'table';
const options = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
] as const;

/** The margins of the conversation's real turns, as a chart or as a table with the same numbers. */
export function MarginPanel() {
  const runs = usePart('chat', (state) => state.runs);
  const floors = usePart('router', (state) => state.floors);
  const all = useMemo(() => marginHistory(runs, floors), [runs, floors]);
  const points = useMemo(() => all.slice(-pointsAtOnce), [all]);
  const [shown, setShown] = useState<Shown>('chart');
  if (points.length === 0) return null;
  return (
    <section className="history" aria-label="Margin history">
      <div className="history__head">
        <h3>Margin history</h3>
        <Floors floors={floors} />
        <Segments label="Show the history as" options={options} value={shown} onChange={setShown} />
      </div>
      {all.length === points.length ? null : (
        <p className="history__note">
          The latest {points.length} of {countText(all.length, 'turn')}.
        </p>
      )}
      {shown === 'chart' ? (
        <Suspense fallback={<div className="history__chart" />}>
          <MarginChart points={points} floors={floors} />
        </Suspense>
      ) : (
        <MarginTable points={points} />
      )}
    </section>
  );
}

/** What the margins are measured by. */
function Floors({ floors }: { floors: CalibratedFloors | null }) {
  if (floors === null) {
    return (
      <span
        className="chip"
        title="This router has no measured floor yet, so no margin is called unsure."
      >
        uncalibrated
      </span>
    );
  }
  const { agent, role, profile, agreeing, cases, calibratedAt } = floors;
  const day = new Date(calibratedAt).toISOString().slice(0, 10);
  return (
    <span
      className="chip"
      title={`A smaller margin is called unsure. Calibrated on ${day}: ${profile} decided as cpu-f32 in ${agreeing} of ${cases} cases; a floor is 80 % of their smallest margin.`}
    >
      floors {logitText(agent)} and {logitText(role)}
    </span>
  );
}

function MarginTable({ points }: { points: readonly MarginPoint[] }) {
  const session = useSession();
  return (
    <div className="history__table" role="region" aria-label="Margins" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">Message</th>
            <th scope="col">Agent</th>
            <th scope="col">Role</th>
            <th scope="col">Choice</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.ordinal}>
              <th scope="row">
                <button
                  type="button"
                  className="link-button"
                  aria-label={`Inspect turn ${point.ordinal}`}
                  onClick={() => inspectTurn(session, { runId: point.runId, turn: point.turn })}
                >
                  {point.ordinal}
                </button>
              </th>
              <td>{point.runOrdinal}</td>
              <td>{marginWords(point.agentMargin, point.unsure?.agent)}</td>
              <td>{marginWords(point.roleMargin, point.unsure?.role)}</td>
              <td>{point.tags.map((tag) => tagNames[tag]).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
