import { useEffect, useId, useRef, type ReactNode } from 'react';
import { IconButton } from './icon-button.tsx';

type Props = {
  title: string;
  onClose: () => void;
  children: ReactNode;
};

/**
 * A modal window of the page. The browser keeps the focus inside and gives it back afterwards; it begins on
 * the element with `data-first`, else on the first control.
 */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      <div className="dialog__head">
        <h2 id={titleId}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      <div className="dialog__body">{children}</div>
    </dialog>
  );
}
