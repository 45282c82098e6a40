import { useState } from 'react';
import { changeSettings } from '../stores/settings.ts';
import { bindAllSlots } from '../stores/slots.ts';
import { usePart, useSession } from '../stores/use-session.ts';
import {
  bindingOf,
  draftOfSlot,
  newKeyOf,
  problemsOf,
  storedKeyFor,
  type BindingDraft,
} from './binding-draft.ts';
import { ProviderFields } from './provider-fields.tsx';

/** One provider for every slot: the shortest way from rehearsal to real answers. */
export function BindAllCard() {
  const session = useSession();
  const { presets, schemes, keys, count } = usePart('slots', (state) => ({
    presets: state.presets,
    schemes: state.schemes,
    keys: state.keys,
    count: state.slots.length,
  }));
  const [typed, setTyped] = useState<BindingDraft | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [done, setDone] = useState('');
  const offered = presets.filter(({ wireFormat }) => wireFormat !== 'rehearsal');
  const draft = typed ?? draftOfSlot(null, offered, schemes);
  const preset = presets.find(({ id }) => id === draft.provider) ?? null;
  const kept = storedKeyFor(null, draft, preset, keys);
  const problems = problemsOf(draft, preset, kept !== null);
  const save = async () => {
    setSaving(true);
    const isBound = await bindAllSlots(
      session,
      bindingOf(draft, null, kept?.id ?? null),
      newKeyOf(draft, preset),
    );
    setSaving(false);
    if (!isBound) return;
    setTyped({ ...draft, secret: '' });
    const answers = await changeSettings(session, { agents: 'slots' });
    setDone(`All slots call ${draft.model.trim()}.${answers ? ' Your agents answer now.' : ''}`);
  };
  return (
    <section className="card" aria-labelledby="bind-all">
      <div className="card__head">
        <h2 id="bind-all">One provider for all {count === 0 ? '' : `${count} `}slots</h2>
        <p className="muted">
          Choose a provider, paste its key, bind. Single slots can be changed below.
        </p>
      </div>
      <form
        className="bind-all"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <div className="bind-fields">
          <ProviderFields
            draft={draft}
            onChange={(next) => {
              setTyped(next);
              setDone('');
            }}
            slot={null}
          />
        </div>
        <div className="bind-all__foot">
          <p className="muted" role="status">
            {done === '' ? (problems[0] ?? '') : done}
          </p>
          <button
            type="submit"
            className="button button--primary"
            disabled={problems.length > 0 || isSaving}
          >
            {isSaving ? 'Binding…' : 'Bind all slots'}
          </button>
        </div>
      </form>
    </section>
  );
}
