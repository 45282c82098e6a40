import type { SlotView } from '../../contracts/app/slots.ts';
import { FactChip } from '../controls/fact-chip.tsx';
import { IconButton } from '../controls/icon-button.tsx';
import { clearSlot, testSlot } from '../stores/slots.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { TestResult } from './test-result.tsx';
import { healthFact, keyWords, spendingWords } from './slot-words.ts';

/** One slot: what it calls, how it is doing, and what can be done with it. */
export function SlotRow({ slot, onEdit }: { slot: SlotView; onEdit: () => void }) {
  const session = useSession();
  const presets = usePart('slots', (state) => state.presets);
  const spending = usePart('slots', (state) => state.spending);
  const test = usePart('slots', ({ tests }) => tests[slot.index] ?? null);
  const { binding, index, checkpointLabel, key } = slot;
  const provider = presets.find(({ id }) => id === binding?.provider);
  const name = binding?.name ?? `Slot ${index}`;
  const now = session.ports.now();
  const health = healthFact(slot.health, test, now);
  const spent = spendingWords(spending, index, now);
  return (
    <li className="slot" aria-label={name}>
      <span className="slot__index numeric" aria-hidden="true">
        {index}
      </span>
      <div className="slot__what">
        <p className="slot__head">
          <strong className="slot__name">{name}</strong>
          <span className="slot__label">
            in the checkpoint: <span className="mono">{checkpointLabel}</span>
          </span>
        </p>
        {binding === null ? (
          <p className="slot__binding muted">Not bound</p>
        ) : (
          <p className="slot__binding">
            <span className="slot__model">{binding.model}</span>
            <span className="muted"> · {provider?.name ?? binding.provider}</span>
            {key === null ? null : <span className="muted"> · {keyWords(key)}</span>}
            {spent === null ? null : <span className="muted"> · {spent}</span>}
          </p>
        )}
      </div>
      <div className="slot__state">
        {binding === null ? null : binding.enabled ? (
          <FactChip tone={health.tone}>{health.text}</FactChip>
        ) : (
          <FactChip>Switched off</FactChip>
        )}
      </div>
      <div className="slot__tools">
        {binding === null ? null : (
          <button
            type="button"
            className="button button--small"
            disabled={test?.phase === 'testing'}
            aria-label={`Test ${name}`}
            onClick={() => void testSlot(session, index)}
          >
            {test?.phase === 'testing' ? 'Testing…' : 'Test'}
          </button>
        )}
        <button
          type="button"
          className="button button--small"
          aria-label={binding === null ? `Bind ${name}` : `Change ${name}`}
          onClick={onEdit}
        >
          {binding === null ? 'Bind' : 'Change'}
        </button>
        {binding === null ? null : (
          <IconButton
            isSmall
            icon="close"
            label={`Unbind ${name}`}
            onClick={() => void clearSlot(session, index)}
          />
        )}
      </div>
      {test?.phase === 'done' ? <TestResult result={test.result} /> : null}
    </li>
  );
}
