import { lazy, Suspense, useMemo, useState } from 'react';
import { Segments } from '../controls/segments.tsx';
import { inspectTurn } from '../stores/inspector.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { tagNames } from './explain.ts';
import { marginHistory, type MarginPoint } from './margin-history.ts';
import { countText, logitText } from './numbers.ts';

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
  const all = useMemo(() => marginHistory(runs), [runs]);
  const points = useMemo(() => all.slice(-pointsAtOnce), [all]);
  const [shown, setShown] = useState<Shown>('chart');
  if (points.length === 0) return null;
  return (
    <section className="history" aria-label="Margin history">
      <div className="history__head">
        <h3>Margin history</h3>
        <span
          className="chip"
          title="This router has no measured floor yet, so no margin is called unsure."
        >
          uncalibrated
        </span>
        <Segments label="Show the history as" options={options} value={shown} onChange={setShown} />
      </div>
      {all.length === points.length ? null : (
        <p className="history__note">
          The latest {points.length} of {countText(all.length, 'turn')}.
        </p>
      )}
      {shown === 'chart' ? (
        <Suspense fallback={<div className="history__chart" />}>
          <MarginChart points={points} />
        </Suspense>
      ) : (
        <MarginTable points={points} />
      )}
    </section>
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
              <td>{logitText(point.agentMargin)}</td>
              <td>{logitText(point.roleMargin)}</td>
              <td>{point.tags.map((tag) => tagNames[tag]).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
