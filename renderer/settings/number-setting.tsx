import { useState } from 'react';
import { Field } from '../controls/field.tsx';

type Props = {
  label: string;
  unit?: string;
  value: number | undefined;
  /** What an absent value means. */
  absent?: string;
  min: number;
  max: number;
  isWhole?: boolean;
  /** False: the field may not be emptied. */
  isOptional?: boolean;
  onCommit: (value: number | undefined) => void;
};

/** A number that is stored when the field is left. What cannot be stored is said, and goes back. */
export function NumberSetting(props: Props) {
  const { label, unit, value, min, max, isWhole = true, isOptional = true, onCommit } = props;
  const { absent = 'no limit' } = props;
  const stored = value === undefined ? '' : String(value);
  const [typed, setTyped] = useState<string | null>(null);
  const [isRefused, setRefused] = useState(false);
  const range = `${min.toLocaleString('en')} and ${max.toLocaleString('en')}`;
  const leave = () => {
    if (typed === null || typed.trim() === stored) return setTyped(null);
    const number = Number(typed);
    const isEmpty = typed.trim() === '';
    const fits = number >= min && number <= max && (!isWhole || Number.isInteger(number));
    const isGood = isEmpty ? isOptional : fits;
    setRefused(!isGood);
    setTyped(null);
    if (isGood) onCommit(isEmpty ? undefined : number);
  };
  return (
    <Field
      label={unit === undefined ? label : `${label} (${unit})`}
      {...(isRefused ? { hint: `Not stored: it must be between ${range}.` } : {})}
    >
      {(ids) => (
        <input
          {...ids}
          className="input numeric"
          inputMode="decimal"
          maxLength={16}
          placeholder={isOptional ? absent : ''}
          value={typed ?? stored}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={leave}
          onKeyDown={({ key }) => (key === 'Enter' ? leave() : undefined)}
        />
      )}
    </Field>
  );
}
