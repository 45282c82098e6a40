import { useMemo } from 'react';
import type { SlotView } from '../../contracts/app/slots.ts';
import { usePart } from '../stores/use-session.ts';
import type { SlotNamer } from './explain.ts';

/**
 * What the page calls a slot. With rehearsal agents nothing is bound, so the slot's number is its name.
 * The checkpoint's label is never a name: it says what the router was trained with, not what is called.
 */
export function slotName(
  slots: readonly SlotView[],
  agents: 'rehearsal' | 'slots',
  slot: number,
): string {
  const bound = agents === 'slots' ? slots.find(({ index }) => index === slot)?.binding : null;
  return bound?.name ?? `Slot ${slot}`;
}

export function useSlotNames(agents: 'rehearsal' | 'slots'): SlotNamer {
  const slots = usePart('slots', (state) => state.slots);
  return useMemo(() => (slot: number) => slotName(slots, agents, slot), [slots, agents]);
}
