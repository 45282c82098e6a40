import { useState } from 'react';
import type { SlotView } from '../../contracts/app/slots.ts';
import { defaultSlotName } from '../../contracts/slots.ts';
import { Dialog } from '../controls/dialog.tsx';
import { Field } from '../controls/field.tsx';
import { bindSlot, testSlot } from '../stores/slots.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import { bindingOf, draftOfSlot, newKeyOf, problemsOf, storedKeyFor } from './binding-draft.ts';
import { ParameterFields } from './parameter-fields.tsx';
import { ProviderFields } from './provider-fields.tsx';

/** Binds one slot, or changes what it is bound to. The test that follows shows whether it works. */
export function SlotDialog({ slot, onClose }: { slot: SlotView; onClose: () => void }) {
  const session = useSession();
  const { presets, schemes, keys } = usePart('slots', (state) => ({
    presets: state.presets,
    schemes: state.schemes,
    keys: state.keys,
  }));
  const [draft, setDraft] = useState(() => draftOfSlot(slot, presets, schemes));
  const [isSaving, setSaving] = useState(false);
  const preset = presets.find(({ id }) => id === draft.provider) ?? null;
  const kept = storedKeyFor(slot, draft, preset, keys);
  const defaultName = defaultSlotName(slot.index, draft.model);
  const problems = problemsOf(draft, preset, kept !== null);
  const save = async () => {
    setSaving(true);
    const name = draft.name.trim() === '' ? defaultName : draft.name.trim();
    const binding = { ...bindingOf(draft, slot, kept?.id ?? null), index: slot.index, name };
    const isBound = await bindSlot(session, binding, newKeyOf(draft, preset));
    setSaving(false);
    if (!isBound) return;
    onClose();
    void testSlot(session, slot.index);
  };
  return (
    <Dialog title={`Slot ${slot.index}`} onClose={onClose}>
      <form
        className="dialog__form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p className="muted">
          The checkpoint calls this slot <span className="mono">{slot.checkpointLabel}</span>. You
          may bind any model.
        </p>
        <div className="bind-fields">
          <Field label="Name">
            {(ids) => (
              <input
                {...ids}
                className="input"
                data-first
                maxLength={100}
                placeholder={defaultName}
                value={draft.name}
                onChange={({ target }) => setDraft({ ...draft, name: target.value })}
              />
            )}
          </Field>
          <ProviderFields draft={draft} onChange={setDraft} slot={slot} />
        </div>
        <ParameterFields draft={draft} onChange={setDraft} />
        <p className="muted" role="status">
          {problems[0] ?? ''}
        </p>
        <div className="dialog__actions">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            className="button button--primary"
            disabled={problems.length > 0 || isSaving}
          >
            {isSaving ? 'Storing…' : 'Store and test'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
