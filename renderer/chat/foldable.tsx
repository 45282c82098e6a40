import { useState, type ReactNode } from 'react';

type Props = { isFolded: boolean; note: string; children: ReactNode };

/** Shows the beginning of its content only, while `isFolded` and until a person opens it. */
export function Foldable({ isFolded, note, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (!isFolded) return children;
  return (
    <>
      <div className={isOpen ? 'foldable' : 'foldable foldable--folded'} inert={!isOpen}>
        {children}
      </div>
      <p className="foldable__note">
        {note}{' '}
        <button
          type="button"
          className="link-button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Fold' : 'Show it here too'}
        </button>
      </p>
    </>
  );
}
