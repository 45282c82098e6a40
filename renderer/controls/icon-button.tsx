import type { ButtonHTMLAttributes } from 'react';
import { Icon, type IconName } from './icon.tsx';

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label' | 'title' | 'className'> & {
  icon: IconName;
  /** Its name, also shown as a tooltip. */
  label: string;
  /** Marks the button that closes a drawer. */
  'data-closes'?: boolean;
  isSmall?: boolean;
};

export function IconButton({ icon, label, isSmall = false, type = 'button', ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={isSmall ? 'icon-button icon-button--small' : 'icon-button'}
      aria-label={label}
      title={label}
    >
      <Icon name={icon} size={isSmall ? 14 : 16} />
    </button>
  );
}
