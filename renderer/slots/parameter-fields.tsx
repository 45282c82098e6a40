import { Field } from '../controls/field.tsx';
import type { BindingDraft } from './binding-draft.ts';

type Props = { draft: BindingDraft; onChange: (draft: BindingDraft) => void };
const efforts = ['minimal', 'low', 'medium', 'high'] as const;

/** What is rarely changed: folded away, and empty means the provider's own default. */
export function ParameterFields({ draft, onChange }: Props) {
  return (
    <details className="more">
      <summary>Parameters</summary>
      <div className="more__body">
        <NumberField
          label="Temperature"
          placeholder="provider’s default"
          value={draft.temperature}
          onChange={(temperature) => onChange({ ...draft, temperature })}
        />
        <NumberField
          label="Max tokens of an answer"
          placeholder="provider’s default"
          value={draft.maxTokens}
          onChange={(maxTokens) => onChange({ ...draft, maxTokens })}
        />
        <Field label="Reasoning effort">
          {(ids) => (
            <select
              {...ids}
              className="select"
              value={draft.reasoningEffort}
              onChange={({ target }) => {
                const reasoningEffort = efforts.find((effort) => effort === target.value) ?? '';
                onChange({ ...draft, reasoningEffort });
              }}
            >
              <option value="">Provider’s default</option>
              {efforts.map((effort) => (
                <option key={effort}>{effort}</option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label="Calls at once"
          placeholder="4"
          value={draft.concurrency}
          onChange={(concurrency) => onChange({ ...draft, concurrency })}
        />
        <NumberField
          label="Input price ($ per million)"
          placeholder="price table"
          value={draft.inputPrice}
          onChange={(inputPrice) => onChange({ ...draft, inputPrice })}
        />
        <NumberField
          label="Output price ($ per million)"
          placeholder="price table"
          value={draft.outputPrice}
          onChange={(outputPrice) => onChange({ ...draft, outputPrice })}
        />
        <NumberField
          label="Monthly cap ($)"
          placeholder="no cap"
          value={draft.monthlyCap}
          onChange={(monthlyCap) => onChange({ ...draft, monthlyCap })}
        />
        <div className="more__wide">
          <Field label="Added to the role’s instruction">
            {(ids) => (
              <textarea
                {...ids}
                className="input"
                rows={2}
                maxLength={20_000}
                value={draft.systemSuffix}
                onChange={({ target }) => onChange({ ...draft, systemSuffix: target.value })}
              />
            )}
          </Field>
        </div>
        <label className="choice more__wide">
          <input
            type="checkbox"
            checked={draft.enabled}
            onChange={({ target }) => onChange({ ...draft, enabled: target.checked })}
          />
          <span>The router may choose this slot</span>
        </label>
      </div>
    </details>
  );
}

function NumberField(props: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <Field label={props.label}>
      {(ids) => (
        <input
          {...ids}
          className="input numeric"
          inputMode="decimal"
          maxLength={12}
          placeholder={props.placeholder}
          value={props.value}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  );
}
