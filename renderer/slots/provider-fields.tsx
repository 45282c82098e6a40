import { useId } from 'react';
import type { SlotView } from '../../contracts/app/slots.ts';
import { Field } from '../controls/field.tsx';
import { usePart } from '../stores/use-session.ts';
import { storedKeyFor, withProvider, type BindingDraft } from './binding-draft.ts';
import { KeyFields } from './key-fields.tsx';

type Props = {
  draft: BindingDraft;
  onChange: (draft: BindingDraft) => void;
  /** The slot that is edited; null in the form for all slots. */
  slot: SlotView | null;
};

/** Provider, model, address and key: what every binding needs. */
export function ProviderFields({ draft, onChange, slot }: Props) {
  const listId = useId();
  const presets = usePart('slots', (state) => state.presets);
  const tested = usePart('slots', ({ tests }) => {
    const test = slot === null ? undefined : tests[slot.index];
    return test?.phase === 'done' ? test.result.models : [];
  });
  const preset = presets.find(({ id }) => id === draft.provider) ?? null;
  const keys = usePart('slots', (state) => state.keys);
  const kept = storedKeyFor(slot, draft, preset, keys);
  const models = [...new Set([...tested, ...(preset?.modelExamples ?? [])])];
  const isAddressNeeded = (preset?.baseUrl ?? null) === null;
  const address = (
    <Field label={isAddressNeeded ? 'Address of the server' : 'Address (optional)'}>
      {(ids) => (
        <input
          {...ids}
          className="input"
          type="url"
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
          placeholder={preset?.baseUrl ?? 'http://127.0.0.1:8080/v1'}
          value={draft.baseUrl}
          onChange={({ target }) => onChange({ ...draft, baseUrl: target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      <Field label="Provider">
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={draft.provider}
            onChange={({ target }) => {
              const chosen = presets.find(({ id }) => id === target.value);
              if (chosen !== undefined) onChange(withProvider(draft, chosen));
            }}
          >
            {presets.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Model">
        {(ids) => (
          <>
            <input
              {...ids}
              className="input"
              list={listId}
              autoComplete="off"
              spellCheck={false}
              maxLength={300}
              placeholder="Name of the model"
              value={draft.model}
              onChange={({ target }) => onChange({ ...draft, model: target.value })}
            />
            <datalist id={listId}>
              {models.map((model) => (
                <option key={model} value={model} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      {preset?.wireFormat === 'rehearsal' ? null : (
        <>
          {isAddressNeeded ? address : null}
          <KeyFields
            draft={draft}
            onChange={onChange}
            preset={preset}
            kept={kept}
            isDropped={slot !== null && slot.key !== null && kept === null}
          />
          {isAddressNeeded ? null : address}
        </>
      )}
    </>
  );
}
