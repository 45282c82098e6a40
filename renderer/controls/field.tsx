import { useId, type ReactNode } from 'react';

type Props = {
  label: string;
  hint?: ReactNode;
  /** Renders the control with the ids that tie it to its label and its hint. */
  children: (ids: { id: string; 'aria-describedby': string | undefined }) => ReactNode;
};

/** A labelled control with an optional hint below it. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : hintId })}
      {hint === undefined ? null : (
        <div className="field__hint" id={hintId}>
          {hint}
        </div>
      )}
    </div>
  );
}
