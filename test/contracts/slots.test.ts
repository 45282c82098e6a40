import { describe, expect, it } from 'vitest';
import { defaultSlotName, slotBindingSchema } from '../../contracts/slots.ts';

describe('the default name of a slot', () => {
  it('is its number and its model without the vendor', () => {
    expect(defaultSlotName(0, 'gpt-5.2')).toBe('Slot 0 · gpt-5.2');
    expect(defaultSlotName(6, 'meta-llama/llama-3.3-70b-instruct')).toBe(
      'Slot 6 · llama-3.3-70b-instruct',
    );
    expect(defaultSlotName(1, ' ')).toBe('Slot 1');
  });

  it('is a name that a binding may have, however long the model is called', () => {
    const name = defaultSlotName(255, 'm'.repeat(300));
    expect(slotBindingSchema.shape.name.safeParse(name).success).toBe(true);
  });
});
