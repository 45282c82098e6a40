type Props = {
  label: string;
  hint: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
};

/** Something that is on or off, stored at once. */
export function SwitchSetting({ label, hint, isOn, onChange }: Props) {
  return (
    <label className="choice">
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span>
        {label}
        <span className="choice__hint">{hint}</span>
      </span>
    </label>
  );
}
