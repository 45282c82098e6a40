import type { Pins } from '../../contracts/app/chat.ts';
import { roleNames, roleNameSchema } from '../../contracts/roles.ts';
import { useSlotNames } from '../routing/slot-name.ts';
import { usePart } from '../stores/use-session.ts';

type Props = { pins: Pins; onChange: (pins: Pins) => void };

/** Fixes slot and role for every turn of the next run; left alone, the router decides. */
export function PinPicker({ pins, onChange }: Props) {
  const agents = usePart('settings', ({ settings }) => settings?.agents ?? 'rehearsal');
  const indexes = usePart('slots', ({ slots }) => slots.map(({ index }) => index));
  const nameOf = useSlotNames(agents);
  return (
    <>
      <select
        className="pin"
        aria-label="Slot for this message"
        data-pinned={pins.slot !== undefined}
        value={pins.slot ?? ''}
        onChange={({ target }) => {
          const { slot: _, ...rest } = pins;
          onChange(target.value === '' ? rest : { ...rest, slot: Number(target.value) });
        }}
      >
        <option value="">Any slot</option>
        {indexes.map((index) => (
          <option key={index} value={index}>
            {nameOf(index)}
          </option>
        ))}
      </select>
      <select
        className="pin"
        aria-label="Role for this message"
        data-pinned={pins.role !== undefined}
        value={pins.role ?? ''}
        onChange={({ target }) => {
          const { role: _, ...rest } = pins;
          const role = roleNameSchema.safeParse(target.value);
          onChange(role.success ? { ...rest, role: role.data } : rest);
        }}
      >
        <option value="">Any role</option>
        {roleNames.map((role) => (
          <option key={role} value={role}>
            {role}
          </option>
        ))}
      </select>
    </>
  );
}
