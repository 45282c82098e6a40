import { useId } from 'react';
import type { RoleName } from '../../contracts/roles.ts';
import type { Bar } from './bars.ts';
import { logitText, percentText } from './numbers.ts';

export interface BarRow {
  readonly name: string;
  /** Second name, in small: the checkpoint's label. */
  readonly detail: string | null;
  readonly role?: RoleName | undefined;
  readonly isRaw: boolean;
  readonly isEffective: boolean;
  /** Why it could not be taken, as a clause; null when it could. */
  readonly maskedWords: string | null;
}

type Props = {
  title: string;
  note: string;
  bars: readonly Bar[];
  rows: readonly BarRow[];
  toggle?: { readonly disabled: readonly number[]; readonly onToggle: (slot: number) => void };
};

/** Raw logits as bars from a common base, each with its number, its share and its state in words. */
export function LogitBars({ title, note, bars, rows, toggle }: Props) {
  const titleId = useId();
  return (
    <div className="bars">
      <div className="bars__head">
        <h3 id={titleId}>{title}</h3>
        <span className="bars__note numeric">{note}</span>
      </div>
      <ul className="bars__rows" role="list" aria-labelledby={titleId}>
        {bars.map((bar) => {
          const row = rows[bar.index];
          return row === undefined ? null : (
            <Row
              key={bar.index}
              bar={bar}
              row={row}
              toggle={
                toggle === undefined
                  ? null
                  : {
                      isIn: !toggle.disabled.includes(bar.index),
                      onToggle: () => toggle.onToggle(bar.index),
                    }
              }
            />
          );
        })}
      </ul>
    </div>
  );
}

type RowProps = {
  bar: Bar;
  row: BarRow;
  toggle: { readonly isIn: boolean; readonly onToggle: () => void } | null;
};

function Row({ bar, row, toggle }: RowProps) {
  const name = (
    <>
      {row.name}
      {row.detail === null ? null : <small title={row.detail}>{row.detail}</small>}
    </>
  );
  return (
    <li
      className="bar"
      data-effective={row.isEffective}
      data-raw={row.isRaw}
      data-masked={row.maskedWords !== null}
      data-role={row.role}
    >
      <span className="visually-hidden">{barWords(bar, row)}</span>
      {toggle === null ? (
        <span className="bar__name" aria-hidden="true" title={row.detail ?? undefined}>
          {name}
        </span>
      ) : (
        <label className="bar__name">
          <input
            type="checkbox"
            checked={toggle.isIn}
            onChange={toggle.onToggle}
            aria-label={`${row.name} may be chosen`}
          />
          <span aria-hidden="true">{name}</span>
        </label>
      )}
      <BarShape bar={bar} />
      <span className="bar__value numeric" aria-hidden="true">
        {logitText(bar.logit)}
      </span>
      <span className="bar__share numeric" aria-hidden="true">
        {percentText(bar.probability)}
      </span>
    </li>
  );
}

const units = 1_000;

/** The bar itself. SVG attributes, because styles in markup are refused by the page's policy. */
function BarShape({ bar }: { bar: Bar }) {
  return (
    <svg
      className="bar__shape"
      viewBox={`0 0 ${units} 10`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect className="bar__fill" x="0" y="0" width={bar.length * units} height="10" />
      <line className="bar__base" x1="0" x2="0" y1="-4" y2="14" />
    </svg>
  );
}

/** The bar for those who do not see it. */
export function barWords(bar: Bar, row: BarRow): string {
  const states = [
    row.isEffective ? 'taken' : '',
    row.isRaw && !row.isEffective ? 'the router’s own choice' : '',
    row.maskedWords ?? '',
  ].filter((part) => part !== '');
  const state = states.length === 0 ? '' : `, ${states.join(', ')}`;
  return `${row.name}: logit ${logitText(bar.logit)}, ${percentText(bar.probability)}${state}`;
}
