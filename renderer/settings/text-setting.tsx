import { useState } from 'react';
import { Field } from '../controls/field.tsx';

type Props = {
  label: string;
  value: string;
  placeholder: string;
  maxLength: number;
  rows?: number;
  onCommit: (text: string) => void;
};

/** A text that is stored when the field is left. */
export function TextSetting({ label, value, placeholder, maxLength, rows, onCommit }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const leave = () => {
    if (typed !== null && typed !== value) onCommit(typed);
    setTyped(null);
  };
  const common = { placeholder, maxLength, value: typed ?? value, onBlur: leave };
  return (
    <Field label={label}>
      {(ids) =>
        rows === undefined ? (
          <input
            {...ids}
            {...common}
            className="input"
            onChange={({ target }) => setTyped(target.value)}
          />
        ) : (
          <textarea
            {...ids}
            {...common}
            className="input"
            rows={rows}
            dir="auto"
            onChange={({ target }) => setTyped(target.value)}
          />
        )
      }
    </Field>
  );
}
