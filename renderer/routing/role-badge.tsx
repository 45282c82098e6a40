import type { RoleName } from '../../contracts/roles.ts';
import { Icon, type IconName } from '../controls/icon.tsx';

const icons: Readonly<Record<RoleName, IconName>> = {
  Worker: 'worker',
  Thinker: 'thinker',
  Verifier: 'verifier',
};

/** The role of a turn: a colour, a sign and a word, so that none of the three is needed alone. */
export function RoleBadge({ role }: { role: RoleName }) {
  return (
    <span className="role-badge" data-role={role}>
      <Icon name={icons[role]} size={13} />
      {role}
    </span>
  );
}
