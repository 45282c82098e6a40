import type { ProviderPreset } from '../../contracts/app/slots.ts';
import { keySchemeSchema, type VaultItem } from '../../contracts/keys.ts';
import { Field } from '../controls/field.tsx';
import { usePart } from '../stores/use-session.ts';
import type { BindingDraft } from './binding-draft.ts';
import { keyWords, schemeNames } from './slot-words.ts';

type Props = {
  draft: BindingDraft;
  onChange: (draft: BindingDraft) => void;
  preset: ProviderPreset | null;
  /** The key that stays bound while none is typed. */
  kept: VaultItem | null;
  /** True when the bound key belongs to another address and is not taken along. */
  isDropped: boolean;
};

/** A secret goes in here and never comes out again. */
export function KeyFields({ draft, onChange, preset, kept, isDropped }: Props) {
  const schemes = usePart('slots', (state) => state.schemes);
  const explanation = schemes.find(({ scheme }) => scheme === draft.scheme)?.explanation;
  const variable = preset?.keyVariable ?? null;
  const hint =
    kept !== null
      ? `There is a ${keyWords(kept)}. Leave empty to use it.`
      : isDropped
        ? 'The bound key belongs to another address and is not sent to this one.'
        : variable === null
          ? 'Stored for this address only.'
          : `Stored for this address only. ${variable} holds none for it.`;
  return (
    <>
      <Field
        label={preset?.needsKey === true ? 'Key' : 'Key (if the server wants one)'}
        hint={hint}
      >
        {(ids) => (
          <input
            {...ids}
            className="input"
            type="password"
            autoComplete="off"
            spellCheck={false}
            maxLength={10_000}
            placeholder={kept === null ? 'Paste the key' : '••••••••'}
            value={draft.secret}
            onChange={({ target }) => onChange({ ...draft, secret: target.value })}
          />
        )}
      </Field>
      <Field label="Keep the key in" hint={explanation}>
        {(ids) => (
          <select
            {...ids}
            className="select"
            value={draft.scheme}
            onChange={({ target }) =>
              onChange({ ...draft, scheme: keySchemeSchema.parse(target.value) })
            }
          >
            {schemes.map(({ scheme }) => (
              <option key={scheme} value={scheme}>
                {schemeNames[scheme]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}
