import { slotBindingSchema, type SlotBinding } from '../../../contracts/slots.ts';

/** A layout in which every slot is a rehearsal agent: no key, no network, no cost. */
export function rehearsalBindings(count: number): SlotBinding[] {
  return Array.from({ length: count }, (_, index) =>
    slotBindingSchema.parse({
      index,
      name: `Rehearsal ${index}`,
      provider: 'rehearsal',
      model: 'scripted',
      concurrency: 64,
    }),
  );
}
