import type { TurnRecord } from '../../contracts/stored.ts';
import { Icon } from '../controls/icon.tsx';
import { explainDecision, explainSlot, type SlotNamer } from '../routing/explain.ts';

type Props = { turn: TurnRecord; nameOf: SlotNamer };

/**
 * How a turn came to its agent: the choice and its reason, then each failed call and each new choice as
 * facts of their own.
 */
export function TurnPath({ turn, nameOf }: Props) {
  const [first, ...again] = turn.decisions;
  if (first === undefined) return null;
  return (
    <ul className="turn__path" role="list">
      <li>{explainDecision(first, nameOf).join(' ')}</li>
      {turn.failures.map((failure, index) => (
        <li key={index} className="turn__failure">
          <Icon name="warning" size={13} />
          <span>
            {nameOf(failure.slot)} failed: {failure.message}
            {failure.next === 'retry' ? ' Asked again.' : ''}
            {failure.next === 'end' ? ' The run ended.' : ''}
          </span>
        </li>
      ))}
      {again.map((decision, index) => (
        <li key={`again-${index}`}>Selected again: {explainSlot(decision, nameOf)}</li>
      ))}
    </ul>
  );
}
